/** Debian's node_exporter, for real. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { endWithUs } from '../../support/end-with-us.ts'
import { freePort } from '../../support/free-port.ts'

const nodeExporter = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'prometheus-node-exporter'))
  .find((path) => existsSync(path))
/** The tests that need it say so loudly and are skipped; where everything must be tested, one of them fails. */
export const isNodeExporterMissing = nodeExporter === undefined
if (isNodeExporterMissing) {
  const how = 'apt-get install --no-install-recommends prometheus-node-exporter'
  process.stderr.write(`NOT TESTED: no prometheus-node-exporter on this machine; ${how}\n`)
}

/** On a free port; answers the address of its metrics. */
export async function startNodeExporter(): Promise<string> {
  const port = await freePort()
  const child: ChildProcess = spawn(nodeExporter ?? '', [`--web.listen-address=127.0.0.1:${port}`], {
    stdio: 'ignore',
  })
  endWithUs(child)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  return `http://127.0.0.1:${port}/metrics`
}
