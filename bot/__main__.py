"""`python -m bot`: the same as `adjutant`."""

from bot.cli import main

raise SystemExit(main())
