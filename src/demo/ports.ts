/** Finds ports of 127.0.0.1 that can be bound. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const parts = {
  workspace: [8080, 'local Slack'],
  service: [9090, 'monitoring service'],
  control: [9089, 'control API of the service'],
  bot: [3000, 'bot'],
} as const
type Part = keyof typeof parts
const names = Object.keys(parts) as readonly Part[]

/** Above what browsers refuse to open, below what systems give to whoever asks for any port. */
export const [lowestPort, highestPort] = [11_000, 32_767]
const triesMax = 100

export async function freePort(wanted: number): Promise<number> {
  if (wanted !== 0 && (await isFree(wanted))) return wanted
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(lowestPort, highestPort + 1)
    if (await isFree(port)) return port
  }
  throw new Error('no port of 127.0.0.1 can be bound')
}

export async function choosePorts(
  said = '',
): Promise<{ ports: Record<Part, number>; moved: readonly string[] }> {
  const ports: Record<Part, number> = { workspace: 0, service: 0, control: 0, bot: 0 }
  const moved: string[] = []
  const page = Number(said)
  if (said !== '' && !(Number.isInteger(page) && page >= 0 && page <= 65_535))
    throw new Error(`PORT: expected a whole number from 0 to 65535; came ${JSON.stringify(said)}`)
  for (const name of names) {
    const [usual, words] = parts[name]
    // Whoever chooses a port may have another demo beside this one: what it takes next must not be taken here.
    const wanted = said === '' ? usual : name === 'workspace' ? page : 0
    ports[name] = await freePort(wanted)
    if (wanted === 0 || ports[name] === wanted) continue
    if (said !== '')
      throw new Error(
        `PORT: ${page} is taken by another process, or not allowed; choose another, or 0 for any`,
      )
    moved.push(`Port ${usual} is taken by another process: the ${words} is on port ${ports[name]} instead.`)
  }
  return { ports, moved }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
