"""The database behind the results store: tables, connection, lock, backup, its errors."""
