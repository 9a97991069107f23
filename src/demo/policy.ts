/** The demo's policy file: some alerts are worse than others, and cards link to what helps. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the file into the folder, with these lines added, and returns its path. */
export function writePolicy(folder: string, more = ''): string {
  const path = join(folder, 'policy.yaml')
  writeFileSync(path, policy + more)
  return path
}

const policy = `severity:
  - { match: { plugin: Heartbeat }, is: critical }
  - { match: { plugin: "Disk*" }, is: critical }
  - { match: { server: "db-*" }, is: critical }
links:
  - { match: {}, text: Runbook, url: "https://example.com/runbook?plugin={plugin}&server={server}" }
`
