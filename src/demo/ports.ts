/** Finds ports of 127.0.0.1 that can be bound. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const usual = { workspace: 8080, service: 9090, control: 9089, bot: 3000 } as const
const parts = {
  workspace: 'local Slack',
  service: 'monitoring service',
  control: 'control API of the service',
  bot: 'bot',
} as const
type Ports = Record<keyof typeof usual, number>

/**
 * Below those that systems give to whoever asks for any port, which may be another's before the part that it is for is up, and
 * above those that browsers refuse to open (10080 is the last of them).
 */
export const [lowestPort, highestPort] = [11_000, 32_767]
const triesMax = 100

/** The given port, or any free one if that is taken. */
export async function freePort(wanted: number): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted))) return wanted
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(lowestPort, highestPort + 1)
    if (await isFree(port)) return port
  }
  throw new Error('no port of 127.0.0.1 can be bound')
}

/**
 * The demo's ports. `said` is the one that was asked for the page: if it is not free, a sentence is thrown. `moved` has a line
 * for each other port that is not the usual one.
 */
export async function choosePorts(said = ''): Promise<{ ports: Ports; moved: readonly string[] }> {
  if (said.trim() !== '') {
    const page = Number(said)
    if (!(Number.isInteger(page) && page >= 0 && page <= 65_535)) {
      throw new Error(`PORT: expected a whole number from 0 to 65535; came ${JSON.stringify(said)}`)
    }
    const workspace = await freePort(page)
    if (page !== 0 && workspace !== page) {
      throw new Error(
        `PORT: ${page} is taken by another process, or not allowed; choose another, or 0 for any`,
      )
    }
    // Whoever chooses a port may have another demo beside this one: what it takes next must not be taken here.
    return {
      ports: { workspace, service: await freePort(0), control: await freePort(0), bot: await freePort(0) },
      moved: [],
    }
  }
  const ports: Ports = { ...usual }
  const moved: string[] = []
  for (const name of ['workspace', 'service', 'control', 'bot'] as const) {
    ports[name] = await freePort(usual[name])
    if (ports[name] === usual[name]) continue
    moved.push(
      `Port ${usual[name]} is taken by another process: the ${parts[name]} is on port ${ports[name]} instead.`,
    )
  }
  return { ports, moved }
}

/** The ports; ends the process with a sentence and exit code 1 if the port that was asked for is not free. */
export async function portsOrExit(said: string | undefined): ReturnType<typeof choosePorts> {
  try {
    return await choosePorts(said)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

/** Can this port of 127.0.0.1 be bound now? */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
