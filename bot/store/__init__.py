"""The database: its tables, its transactions, its migrations, and one repository for each kind of row."""
