/** The night that the demo plays by itself, on the real processes: each act is seen, nothing is lost, nothing is doubled. */
import { expect, test } from 'vitest'
import { startDemo } from '../support/demo-process.ts'
import { patienceMs } from '../support/patience.ts'

const night = { timeout: 2 * patienceMs, interval: 500 }

test('a bad night from the first spike to the handoff is told whole, once, and to people', async () => {
  const demo = await startDemo(['--script', 'night', '--minutes', '2'])
  await expect.poll(demo.said, night).toMatch(/The night is over.*\n/)
  const said = demo.said()
  const [, listed, shown] =
    /The night is over: (\d+) alerts, (\d+) shown, 0 missing, 0 shown twice\.\n/.exec(said) ?? []
  // One spike, four of the replication, forty of the storm, one event.
  expect(Number(listed)).toBe(46)
  expect(shown).toBe(listed)
  for (const words of [
    /🔴 web-2 CPU busy 97 % \(limit 90 %\)/,
    /👀 @cleo took it over from @ana/,
    /📝 Note by @ana: the log rotation runs too long/,
    /🔁 Open again: .*db-1 Replication/,
    /⏰ Still unacknowledged: .*db-1 Replication/,
    /40 × .* servers\)/,
    /web-3 is muted|Muted by @cleo|web-3 muted by @cleo/,
    /⚫ Monitoring down since/,
    /⚪ Monitoring back/,
    /🟢 web-2 CPU busy closed/,
  ]) {
    expect(said).toMatch(words)
  }
  expect(said).not.toMatch(/finds no|refused/)
  expect(await demo.stop()).toBe(0)
})
