/** Debian's node_exporter, for real. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { endWithUs } from '../../support/end-with-us.ts'

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

// Below those that a system gives to whoever asks for any port: until the program takes its own, nobody else is given it, and
// answers in its place. Files that run side by side have ranges of their own, by the number of their worker: processes whose ids only
// happened to end alike were given one port, and one of them asked the other's program until that was gone.
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % 10
let lastPort = 10_000 + worker * 2_200 + (process.pid % 22) * 100

export async function freePort(): Promise<number> {
  for (;;) {
    lastPort += 1
    const port = lastPort
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise<void>((resolve) => server.close(() => resolve()))
    if (isFree) return port
  }
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
