/** A port that can be bound: the given one, or any free one if that is taken. */
import { createServer } from 'node:net'

export async function freePort(wanted: number): Promise<number> {
  const bound = (await bind(wanted)) ?? (await bind(0))
  if (bound === null) throw new Error('no port of 127.0.0.1 can be bound')
  return bound
}

function bind(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const found = typeof address === 'object' && address !== null ? address.port : null
      server.close(() => resolve(found))
    })
  })
}
