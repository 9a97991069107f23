/** A bot on a plain socket that answers everything with what a test says, and cards to press its buttons on. */
import { type Fields, fieldsOf, neighbour, section } from './neighbour.ts'

export const plain = (text: string): Fields => ({ type: 'plain_text', text })
export const button = (action_id: string, value = 'v'): Fields => ({
  type: 'button',
  action_id,
  text: plain('Press'),
  value,
})
export const options = ['30m', '1h'].map((value) => ({ text: plain(value), value }))

/** A workspace whose bot answers everything with what `answer` says; `undefined` acknowledges with nothing. */
export async function withBot(answer: (envelope: Fields) => unknown = () => undefined) {
  const it = await neighbour()
  const line = await it.socket()
  const payloads: Fields[] = []
  line.ws.on('message', (data) => {
    const envelope = fieldsOf(JSON.parse(String(data)))
    if (envelope.envelope_id === undefined) return
    payloads.push(fieldsOf(envelope.payload))
    line.ack(envelope, answer(envelope))
  })
  const card = async (elements: Fields[], more: Fields = {}): Promise<string> => {
    const blocks = [section('a card'), { type: 'actions', block_id: 'buttons', elements }]
    const posted = await it.call('chat.postMessage', { channel: '#alerts', text: 'card', blocks, ...more })
    return String(posted.ts)
  }
  const last = (): Fields => payloads.at(-1) ?? {}
  return { ...it, line, payloads, last, card }
}

export const respond = (url: unknown, body: unknown): Promise<Response> =>
  fetch(String(url), { method: 'POST', body: JSON.stringify(body) })
