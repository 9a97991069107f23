/** Real processes lease the lead, and are stopped, killed, ended and cut off at random: never are two trusted at one moment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { callMsMax } from '../../../../src/bot/store/postgres/lease.ts'
import { endWithUs } from '../../../support/end-with-us.ts'
import { patienceMs } from '../../../support/patience.ts'
import { openPostgres } from '../../../support/postgres.ts'
import { fencedDatabase } from '../../../support/postgres-memory.ts'
import { openTcpGate, type TcpGate } from '../../../support/tcp-gate.ts'

/** 30 s take 2 s. */
const speed = 15
const program = fileURLToPath(new URL('../../../support/lease-process.ts', import.meta.url))

type Run = {
  readonly name: string
  readonly child: ChildProcess
  readonly trustedMs: number[]
  said: string
  isReleased: boolean
  isOver: boolean
}

const faultCount = Number(process.env.LEASE_FAULTS ?? 12)

test('three processes that are stopped, killed, ended, cut off and lose their Postgres', async () => {
  const postgres = await openPostgres()
  const database = await fencedDatabase(postgres)
  await postgres.query("update leader set holder = '', free = true", database)
  const gates: TcpGate[] = []
  for (let at = 0; at < 3; at += 1) gates.push(await openTcpGate(postgres.port))
  const runs: Run[] = []
  let isEnding = false

  function start(place: number): void {
    const name = `p${runs.length}`
    const url = postgres.url(database, gates[place]?.port)
    const child = spawn(process.execPath, [program, url, name, String(speed)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    endWithUs(child)
    const run: Run = { name, child, trustedMs: [], said: '', isReleased: false, isOver: false }
    runs.push(run)
    places[place] = run
    child.stderr.on('data', (data) => {
      run.said += String(data)
    })
    let rest = ''
    child.stdout.on('data', (data) => {
      const lines = (rest + String(data)).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('trusted ')) run.trustedMs.push(Number(line.slice(8)))
        else run.said += `${line} `
      }
    })
    child.once('close', () => {
      run.isOver = true
      if (!isEnding) start(place)
    })
  }
  const places: Run[] = []
  for (const place of [0, 1, 2]) start(place)

  const restMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms / speed))
  const until = async (what: string, isSo: () => boolean) => {
    const untilMs = Date.now() + patienceMs
    while (!isSo()) {
      if (Date.now() > untilMs) throw new Error(`It never came: ${what}`)
      await restMs(1_000)
    }
  }
  const isLed = () =>
    places.some(({ trustedMs, isOver }) => !isOver && Date.now() - (trustedMs.at(-1) ?? 0) < 200)

  const faults = ['stop', 'kill', 'end', 'cut', 'swallow', 'postgres'] as const
  try {
    for (let count = 0; count < faultCount; count += 1) {
      await until('a leader', isLed)
      const fault = faults[Math.floor(Math.random() * faults.length)]
      // The leader more often than others.
      const leads = places.findIndex(({ trustedMs }) => Date.now() - (trustedMs.at(-1) ?? 0) < 200)
      const place = Math.random() < 0.6 && leads !== -1 ? leads : Math.floor(Math.random() * 3)
      const { child } = places[place] as Run
      const ms = Math.random() * 45_000
      if (fault === 'stop') {
        child.kill('SIGSTOP')
        await restMs(ms)
        child.kill('SIGCONT')
      } else if (fault === 'kill') child.kill('SIGKILL')
      else if (fault === 'end') {
        ;(places[place] as Run).isReleased = true
        child.kill('SIGTERM')
      } else if (fault === 'postgres') {
        await postgres.stop(Math.random() < 0.5 ? 'SIGKILL' : 'SIGINT')
        await postgres.start()
      } else {
        gates[place]?.[fault as 'cut' | 'swallow']()
        await restMs(ms)
        gates[place]?.open()
      }
    }
    await until('a leader at the end', isLed)
  } finally {
    isEnding = true
    for (const { child } of runs) child.kill('SIGKILL')
    for (const gate of gates) await gate.close()
    await postgres.close()
  }
  const led = runs
    .filter(({ trustedMs }) => trustedMs.length > 0)
    .map(({ name, trustedMs, isReleased }) => ({
      name,
      isReleased,
      fromMs: Math.min(...trustedMs),
      toMs: Math.max(...trustedMs),
    }))
    .toSorted((a, b) => a.fromMs - b.fromMs)
  expect(led.length).toBeGreaterThan(1)
  for (const [at, { fromMs }] of led.entries()) {
    const before = led[at - 1]
    if (before === undefined) continue
    // Whoever is stopped has no call that goes on; whoever ended cleanly neither.
    expect(fromMs - before.toMs, JSON.stringify(led)).toBeGreaterThan(
      before.isReleased ? 0 : callMsMax / speed,
    )
  }
})
