FROM python:3.13-slim-trixie AS build
ENV UV_COMPILE_BYTECODE=1 \
    UV_LINK_MODE=copy \
    UV_PROJECT_ENVIRONMENT=/opt/adjutant \
    UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir uv==0.13.8
WORKDIR /src
# What the bot needs changes seldom; the bot itself often. Hence two steps, the first of them cached.
COPY pyproject.toml uv.lock ./
RUN uv sync --locked --no-cache --no-default-groups --extra postgres --extra web --no-install-project
COPY LICENSE README.md ./
COPY docs/verify.html ./docs/
COPY bot ./bot
COPY rules ./rules
COPY migrations ./migrations
# The second command keeps the rule books as they are built beside the byte code, where nobody may write later.
RUN uv sync --locked --no-cache --no-default-groups --extra postgres --extra web --no-editable \
    && /opt/adjutant/bin/python -P -c "from rules.library import load_shipped_books; load_shipped_books()"

FROM python:3.13-slim-trixie
# PostgreSQL's programs make and restore backups; Debian updates them within the major version.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client-17 \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home adjutant \
    && install --directory --owner=adjutant /data
COPY --from=build /opt/adjutant /opt/adjutant
ENV PATH="/opt/adjutant/bin:$PATH" \
    DATABASE_URL="sqlite+aiosqlite:////data/adjutant.db" \
    HEALTH_PORT="9464"
WORKDIR /data
VOLUME /data
USER 10001
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["adjutant", "health"]
ENTRYPOINT ["adjutant"]
CMD ["run"]
