/** A gate before a TCP port, through which a network may be cut, swallow, be slow, or lose one answer. */
import { connect, createServer, type Socket } from 'node:net'

export type TcpGate = {
  readonly port: number
  /** Everything passes again, and no answer is to be lost any more. */
  open(): void
  /** Connections break, and new ones are refused. */
  cut(): void
  /** Nothing passes either way, and nothing says so; what came meanwhile passes once it is open again. */
  swallow(): void
  /** Each piece takes so much longer, in each direction. */
  slow(ms: number): void
  /**
   * What the server answers to the next request that contains this text is lost, and the connection with it. Resolves once that
   * happened; the server has done what it was asked.
   */
  loseAnswerTo(text: string): Promise<void>
  close(): Promise<void>
}

type Way = 'open' | 'cut' | 'swallow'

/** Who sent a piece of what passes. */
export type Sender = 'client' | 'server'

export type TcpGateOptions = {
  /** Called with every piece before it passes, and the number of its connection; what it returns passes instead. */
  readonly onPiece?: (from: Sender, piece: Buffer, connection: number) => Buffer
}

/** Leads to a port of this machine; a function is asked at each new connection. */
export async function openTcpGate(
  to: number | (() => number),
  { onPiece = (_, piece) => piece }: TcpGateOptions = {},
): Promise<TcpGate> {
  let way: Way = 'open'
  let slowMs = 0
  let losing: { readonly text: string; readonly done: () => void } | null = null
  const pairs = new Set<{ readonly ends: readonly [Socket, Socket]; flush(): void }>()

  let count = 0
  const server = createServer((client) => {
    count += 1
    const made = count
    if (way === 'cut') {
      client.destroy()
      return
    }
    const upstream = connect(typeof to === 'number' ? to : to(), '127.0.0.1')
    let isLost: (() => void) | null = null
    const held: (() => void)[] = []
    const pair = {
      ends: [client, upstream] as const,
      flush: () => {
        for (const pass of held.splice(0)) pass()
      },
    }
    const end = () => {
      client.destroy()
      upstream.destroy()
      pairs.delete(pair)
    }
    const pass = (from: Socket, into: Socket) => {
      from.on('error', () => undefined)
      // That one end has gone passes no sooner than anything else: the other keeps what it holds meanwhile.
      from.on('close', () => void (way === 'swallow' ? held.push(end) : end()))
      from.on('data', (came) => {
        const data = onPiece(from === client ? 'client' : 'server', came, made)
        if (from === client && losing !== null && data.includes(losing.text)) {
          isLost = losing.done
          losing = null
        } else if (from === upstream && isLost !== null) {
          end()
          isLost()
          return
        }
        const write = () => into.write(data)
        if (way === 'swallow' || held.length > 0) held.push(write)
        else if (slowMs > 0) setTimeout(write, slowMs)
        else write()
      })
    }
    client.setNoDelay()
    upstream.setNoDelay()
    pass(client, upstream)
    pass(upstream, client)
    pairs.add(pair)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A gate without a port')
  const breakAll = () => {
    for (const { ends } of pairs) for (const end of ends) end.destroy()
  }
  return {
    port: address.port,
    open: () => {
      way = 'open'
      slowMs = 0
      losing = null
      for (const pair of pairs) pair.flush()
    },
    cut: () => {
      way = 'cut'
      breakAll()
    },
    swallow: () => {
      way = 'swallow'
    },
    slow: (ms) => {
      slowMs = ms
    },
    loseAnswerTo: (text) =>
      new Promise((done) => {
        losing = { text, done }
      }),
    close: () => {
      breakAll()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
