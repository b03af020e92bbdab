"""Acts: `/roe act`."""
