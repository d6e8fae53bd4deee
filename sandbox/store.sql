-- The tables of the sandbox's store.
CREATE TABLE IF NOT EXISTS grants (
    id INTEGER PRIMARY KEY, account TEXT NOT NULL, client_id TEXT NOT NULL, scopes TEXT NOT NULL,
    created_at REAL NOT NULL, UNIQUE (account, client_id));
CREATE TABLE IF NOT EXISTS tokens (
    hash TEXT PRIMARY KEY, grant_id INTEGER NOT NULL REFERENCES grants ON DELETE CASCADE, kind TEXT NOT NULL,
    scopes TEXT NOT NULL, expires_at REAL);
CREATE INDEX IF NOT EXISTS tokens_grant ON tokens (grant_id);
CREATE TABLE IF NOT EXISTS edited (
    subject TEXT PRIMARY KEY, terms TEXT NOT NULL, edition INTEGER NOT NULL, edited_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS written (
    file_id TEXT NOT NULL, edition INTEGER NOT NULL, content TEXT NOT NULL, account TEXT, written_at REAL NOT NULL,
    PRIMARY KEY (file_id, edition));
CREATE TABLE IF NOT EXISTS additions (id INTEGER PRIMARY KEY, entry TEXT NOT NULL, added_at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS seen (
    account TEXT NOT NULL, subject TEXT NOT NULL, drive_id TEXT, mark TEXT NOT NULL, PRIMARY KEY (account, subject));
CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, subject TEXT NOT NULL, drive_id TEXT,
    changed_at REAL NOT NULL, UNIQUE (account, subject));
CREATE TABLE IF NOT EXISTS forgotten_changes (id INTEGER NOT NULL);
