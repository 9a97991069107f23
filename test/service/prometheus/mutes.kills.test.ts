/** The service's own process, killed while it mutes, changes a mute or ends it at a real Alertmanager, and started again. */
import { join } from 'node:path'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { patienceMs } from '../../support/patience.ts'
import { type Process, startService } from '../process.ts'
import { exporter } from '../scrape/exporters.ts'
import { type Alertmanager, isAlertmanagerMissing, openAlertmanager } from './alertmanager.ts'
import { tempFolder } from './programs.ts'

const soon = { timeout: patienceMs, interval: 100 }
const key = 'key-of-the-account'

type Kill = { readonly method: 'POST' | 'DELETE'; readonly isDone: boolean }

/** In front of the Alertmanager; kills the service at the next request of that method, before or after it is done. */
async function openKiller(real: Alertmanager) {
  const town: { next: Kill | null; service: Process | null } = { next: null, service: null }
  const address = await exporter(async (asked, response) => {
    const parts: Uint8Array[] = []
    for await (const part of asked) parts.push(part)
    const kill = town.next?.method === asked.method ? town.next : null
    if (kill !== null) town.next = null
    if (kill?.isDone === false) {
      await town.service?.kill()
      return void response.destroy()
    }
    const { statusCode, body } = await request(`${real.url}${asked.url}`, {
      method: asked.method ?? 'GET',
      ...(parts.length === 0 ? {} : { body: Buffer.concat(parts) }),
      headers: { 'content-type': 'application/json' },
    })
    const text = await body.text()
    if (kill !== null) {
      await town.service?.kill()
      return void response.destroy()
    }
    response.statusCode = statusCode
    response.end(text)
  })
  return { town, url: new URL(address).origin }
}

/** A Prometheus without rules and targets. */
async function openEmptyEngine(): Promise<string> {
  const address = await exporter((asked, response) => {
    const isRules = asked.url?.startsWith('/api/v1/rules') === true
    const data = isRules ? { groups: [] } : { resultType: 'vector', result: [] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ status: 'success', data }))
  })
  return new URL(address).origin
}

const each = (['mutes', 'changes a mute', 'ends one'] as const).flatMap((what) =>
  [true, false].map((isDone) => ({ what, isDone, isKept: true })),
)
const kills = [
  ...each,
  { what: 'changes a mute' as const, isDone: true, isKept: false },
  { what: 'ends one' as const, isDone: false, isKept: false },
].map((kill) => ({
  ...kill,
  when: `${kill.isDone ? 'after' : 'before'} it is done, with ${kill.isKept ? 'a file' : 'no file'}`,
}))

test.skipIf(isAlertmanagerMissing).for(kills)(
  'killed while it $what, $when: what was answered lasts, what was not does not stay, and asking again does it once',
  async ({ isKept, what, isDone }, t) => {
    const real = await openAlertmanager()
    const { town, url } = await openKiller(real)
    const env = {
      MONITOR_API_KEY: key,
      PROMETHEUS_URL: await openEmptyEngine(),
      ALERTMANAGER_URL: url,
      ...(isKept ? { MONITOR_FILE: join(tempFolder(t), 'monitor.db') } : {}),
    }
    const start = async () => {
      town.service = await startService(env)
    }
    const ask = async (form: Readonly<Record<string, string>> | null): Promise<number | 'killed'> => {
      try {
        const path = `${town.service?.url}/api/v2/${key}/mutes${form === null ? '/m-1' : ''}.json`
        const answer = await fetch(path, {
          method: form === null ? 'DELETE' : 'POST',
          ...(form === null ? {} : { body: new URLSearchParams(form) }),
        })
        return answer.status
      } catch {
        return 'killed'
      }
    }
    const live = async () =>
      (
        JSON.parse(await real.amtool('silence', 'query', '-o', 'json')) as {
          matchers: readonly { value: string }[]
        }[]
      ).map(({ matchers }) => matchers[0]?.value)
    const wish = { id: 'm-1', matchers: 'alertname="Disk"', by: 'ana' }
    const other = { ...wish, matchers: 'alertname="Down"' }

    await start()
    if (what !== 'mutes') expect(await ask(wish)).toBe(200)
    town.next = { method: what === 'ends one' ? 'DELETE' : 'POST', isDone }
    const form = { mutes: wish, 'changes a mute': other, 'ends one': null }[what]
    expect(await ask(form)).toBe('killed')
    expect(await live()).toEqual(
      {
        mutes: isDone ? ['Disk'] : [],
        'changes a mute': isDone ? expect.arrayContaining(['Disk', 'Down']) : ['Disk'],
        'ends one': isDone ? [] : ['Disk'],
      }[what],
    )

    await start()
    // With a file it knows what was answered, and what it was told to end; without one, what was asked for last.
    if (isKept || what === 'changes a mute') {
      await expect.poll(live, soon).toEqual(what === 'changes a mute' ? [isKept ? 'Disk' : 'Down'] : [])
    }
    const answer = await ask(form)
    expect(answer).toBe(200)
    const wanted = { mutes: ['Disk'], 'changes a mute': ['Down'], 'ends one': [] }[what]
    await expect.poll(live, soon).toEqual(wanted)
    expect(await ask(form)).toBe(200)
    expect(await live()).toEqual(wanted)
    // The next one has nothing to put right.
    await town.service?.kill()
    await start()
    const listed = async () => {
      const found = await fetch(`${town.service?.url}/api/v2/${key}/mutes.json`)
      const { results } = (await found.json()) as { results: { id: string; by: string; ours: boolean }[] }
      return results.map(({ id, by, ours }) => `${id} ${by} ${ours}`)
    }
    await expect.poll(listed, soon).toEqual(wanted.map(() => 'm-1 ana true'))
    expect(await live()).toEqual(wanted)
  },
)
