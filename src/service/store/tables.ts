/** The tables of the service's file. */

/** Version 1 had only documents, which included the points. */
export const schemaVersion = 2

export const tableNames: ReadonlySet<string> = new Set(['documents', 'series', 'chunks', 'minutes'])

/** Distinguishes our table from another one of the same name. */
export const documentColumns = 'kind key body'

/** A series' number is never reused: minutes of a removed one must never become another's. */
export const tables = `
  CREATE TABLE IF NOT EXISTS documents (
    kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY AUTOINCREMENT, hostname TEXT NOT NULL, key TEXT NOT NULL, UNIQUE (hostname, key)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS chunks (
    id INTEGER PRIMARY KEY, series INTEGER NOT NULL, step_ms INTEGER NOT NULL, at_ms INTEGER NOT NULL, body BLOB NOT NULL,
    UNIQUE (series, step_ms, at_ms)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS chunks_by_age ON chunks (step_ms, at_ms);
  CREATE TABLE IF NOT EXISTS minutes (
    id INTEGER PRIMARY KEY, hostname TEXT NOT NULL, body BLOB NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS minutes_by_server ON minutes (hostname)
`
