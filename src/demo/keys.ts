/** The demo's keys: each does what a button of the demo controls does. */
import { emitKeypressEvents } from 'node:readline'

const spike = { server: 'web-2', seconds: 240 }
export const beginWith = ['/town/scenarios/cpu-spike', spike] as const

type Key = readonly [key: string, words: string, path: string, body: object]
const simulated: readonly Key[] = [
  ['c', 'a CPU spike on web-2, for 4 min', ...beginWith],
  ['p', 'play an incident of five minutes', '/town/play', {}],
]
const everywhere: readonly Key[] = [
  ['b', 'make this machine busy for 30 s (a real load)', '/town/busy', { seconds: 30 }],
  ['s', 'stop all trouble', '/town/stop', {}],
]

export function listenToKeys(
  order: (path: string, body: object) => Promise<void>,
  say: (text: string) => void,
  setOrdersWaiting: ((count: number) => void) | null,
): void {
  const keys = setOrdersWaiting === null ? [...simulated, ...everywhere] : everywhere
  const lines = keys.map(([key, words]) => `  ${key}  ${words}`)
  if (setOrdersWaiting !== null) lines.push('  w  120 orders wait in the shop', '  e  none waits any more')
  const input = process.stdin
  if (!input.isTTY) return
  say(['Press a key to make something happen:', ...lines, '  q  stop', ''].join('\n'))
  emitKeypressEvents(input)
  input.setRawMode(true)
  input.on('keypress', (text: string | undefined, key: { name?: string; ctrl?: boolean }) => {
    if (text === 'q' || (key.ctrl && key.name === 'c')) process.kill(process.pid, 'SIGINT')
    if (text === 'w') setOrdersWaiting?.(120)
    if (text === 'e') setOrdersWaiting?.(0)
    const found = keys.find(([one]) => one === text)
    if (found === undefined) return
    const [, words, path, body] = found
    say(`> ${words}`)
    void order(path, body)
  })
}
