/** The settings, each with what is said when it is wrong; and the process: its lines, its keys, its end. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readEnvironment, settingNames } from '../../src/service/environment.ts'
import { misspelt } from '../../src/shared/nearest.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { rows } from './worlds/rows.ts'
import { send } from './worlds/town.ts'

const files: Record<string, string> = { '/run/key': ' of-a-file\n', '/run/token': 'abc', '/run/empty': '' }
function readFile(path: string): string {
  const text = files[path]
  if (text === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' })
  return text
}
const read = (text: string) => readEnvironment(Object.fromEntries(new URLSearchParams(text)), readFile)

describe('settings', () => {
  test.each(
    rows(
      ['env', 'said'],
      `
    PORT=x                                 | PORT: expected a port from 0 to 65535; came "x"
    PORT=70000&HOST=                       | PORT: expected a port from 0 to 65535; came "70000"
    MONITOR_CONTROL_PORT=9090              | MONITOR_CONTROL_PORT: expected another port than the API's; came 9090
    MONITOR_API_KEY=a/b                    | MONITOR_API_KEY: expected 1 to 200 visible ASCII characters without / ? # %; came something else
    MONITOR_API_KEY_FILE=/run/none         | MONITOR_API_KEY_FILE: expected the path of a file that holds the secret; came "/run/none", which cannot be read (ENOENT)
    MONITOR_API_KEY=a&MONITOR_API_KEY_FILE=/run/key | MONITOR_API_KEY_FILE: expected nothing beside MONITOR_API_KEY, or MONITOR_API_KEY left empty; came both
    MONITOR_FLEET=1001                     | MONITOR_FLEET: expected 0 to 1000 servers; came "1001"
    MONITOR_SEED=-1                        | MONITOR_SEED: expected a whole number; came "-1"
    MONITOR_SAMPLE=yes                     | MONITOR_SAMPLE: expected on or off; came "yes"
    MONITOR_PUBLIC_URL=ftp://a             | MONITOR_PUBLIC_URL: expected an address with http:// or https://; came something else
    PROMETHEUS_URL=//me:pw@a               | PROMETHEUS_URL: expected an address with http:// or https://; came something else
    ALERTMANAGER_URL=http://a,b            | ALERTMANAGER_URL: expected 1 to 10 addresses with http:// or https:// between commas; came something else
    PROMETHEUS_TOKEN=a b                   | PROMETHEUS_TOKEN: expected visible ASCII without spaces; came something else
    ALERTMANAGER_TOKEN=a&ALERTMANAGER_TOKEN_FILE=/run/token | ALERTMANAGER_TOKEN_FILE: expected nothing beside ALERTMANAGER_TOKEN; came both
    PROMETHEUS_CA_FILE=/run/empty          | PROMETHEUS_CA_FILE: expected a file that can be read and is not empty; came another
    PROMETHEUS_CERT_FILE=/run/token        | PROMETHEUS_CERT_FILE: expected a certificate and PROMETHEUS_KEY_FILE; came one of them
    PORT=x&MONITOR_SAMPLE=y                | PORT: expected a port from 0 to 65535; came "x" / MONITOR_SAMPLE: expected on or off; came "y"`,
    ),
  )('$env', ({ env, said }) => {
    expect(read(env).problems.join(' / ')).toBe(said)
  })

  test('alone it measures this machine and shows twelve servers; in front of a Prometheus neither', () => {
    expect(read('').options).toMatchObject({
      port: 9090,
      host: '127.0.0.1',
      fleet: 12,
      sample: true,
      controlPort: null,
    })
    const front = read(
      'PROMETHEUS_URL=http://me:pw@p:9090/x&ALERTMANAGER_URL=http://a,http://b&ALERTMANAGER_TOKEN_FILE=/run/token&PROMETHEUS_TENANT=t&PROMETHEUS_REPORTERS=a*,b&MONITOR_API_KEY_FILE=/run/key',
    )
    expect(front.problems).toEqual([])
    expect(front.options).toMatchObject({
      port: 9095,
      fleet: 0,
      sample: false,
      key: 'of-a-file',
      prometheus: {
        url: new URL('http://me:pw@p:9090/x'),
        alertmanagers: [new URL('http://a'), new URL('http://b')],
        access: { tenant: 't', token: undefined },
        managerAccess: { tokenFile: '/run/token', tenant: undefined },
        reporters: ['a*', 'b'],
      },
    })
    expect(read('ALERTMANAGER_URL=http://a').options.prometheus).toMatchObject({ url: null, rulers: [] })
  })

  test('every setting that looks like one of ours is known', () => {
    const env = Object.fromEntries(settingNames.map((name) => [name, 'x']))
    expect(misspelt({ ...env, MONITOR_URL: 'x' }, settingNames)).toEqual([])
    expect(misspelt({ MONITOR_SAMPEL: 'on' }, settingNames)).toEqual([
      expect.stringContaining('did you mean MONITOR_SAMPLE?'),
    ])
  })
})

describe('the process', () => {
  const main = new URL('../../src/service/main.ts', import.meta.url).pathname

  function start(env: Record<string, string>, ...words: string[]) {
    const child = spawn(process.execPath, [main, ...words], { env: { PATH: process.env.PATH ?? '', ...env } })
    endWithUs(child)
    onTestFinished(() => void child.kill('SIGKILL'))
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk) => (said.out += chunk))
    child.stderr.on('data', (chunk) => (said.err += chunk))
    return { child, said }
  }
  async function ended(env: Record<string, string>, ...words: string[]) {
    const { child, said } = start(env, ...words)
    const [code] = await once(child, 'close')
    return { ...said, code }
  }
  const quiet = { PORT: '0', MONITOR_SAMPLE: 'off', MONITOR_FLEET: '1' }
  const addressIn = (text: string) => /on (http:\/\/\S+)$/m.exec(text)?.[1] ?? ''
  const stop = async (child: ChildProcess) => {
    child.kill('SIGTERM')
    return (await once(child, 'exit'))[0]
  }

  test('says where it is and how to ask, with a key that was made this once; ends well by a signal', async () => {
    const { child, said } = start({ ...quiet, MONITOR_CONTROL_PORT: '0' })
    await expect.poll(() => said.out).toMatch(/try: curl/)
    expect(said.out).toMatch(
      /^monitoring service \S+ on (http:\S+)\ncontrol, for this machine only: http:\S+\/control\/state\nexport MONITOR_API_KEY=[0-9a-f]{40} {4}# made for this run; set it to choose your own\ntry: curl "\1\/api\/v2\/\$MONITOR_API_KEY\/alerts\.json"\n$/,
    )
    expect(said.err).toContain(
      `links of alerts lead to ${addressIn(said.out)}; MONITOR_PUBLIC_URL changes that`,
    )
    child.kill('SIGHUP')
    const key = /KEY=(\w+)/.exec(said.out)?.[1]
    expect((await send(`${addressIn(said.out)}/api/v2/${key}/alerts.json`)).status).toBe(200)
    expect(await stop(child)).toBe(0)
  })

  test('keys are added, listed and withdrawn beside it, and hold at once; none is made where some are kept', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'monbot-service-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = { MONITOR_FILE: join(folder, 'new/monitor.db') }
    const key = (await ended(file, 'keys', 'add')).out.trim()
    const { child, said } = start({ ...quiet, ...file })
    await expect.poll(() => said.out).toMatch(/try: curl/)
    expect(said.out).not.toContain('export')
    const works = async (one: string) =>
      (await send(`${addressIn(said.out)}/api/v2/${one}/roles.json`)).status
    expect((await ended(file, 'keys', 'add', 'mine')).out).toBe('mine\n')
    expect([await works(key), await works('mine'), await works('x')]).toEqual([200, 200, 401])
    const [id = ''] = (await ended(file, 'keys', 'list')).out.split(' ')
    expect((await ended(file, 'keys', 'remove', id)).out).toBe('withdrawn\n')
    expect([await works(key), await works('mine')]).toEqual([401, 200])
    expect(await ended({ ...quiet, ...file })).toMatchObject({
      code: 1,
      err: expect.stringContaining('is in use'),
    })
    expect(await stop(child)).toBe(0)
  })

  test.each<[string, Record<string, string>, string[], number, RegExp]>([
    [
      'wrong settings',
      { PORT: 'x', MONITOR_SAMPLE: 'y' },
      [],
      78,
      /^the monitoring service cannot start:\n {2}PORT: .*\n {2}MONITOR_SAMPLE: /,
    ],
    ['wrong words', {}, ['--backup'], 2, /^Expected nothing more, or keys; came "--backup"\n/],
    ['wrong words for keys', {}, ['keys', 'remove'], 2, /^keys: expected add/],
    [
      'keys of no file',
      {},
      ['keys', 'list'],
      78,
      /^MONITOR_FILE: expected the file of the service; came nothing/,
    ],
    ['a host that is none', { ...quiet, HOST: '192.0.2.1' }, [], 1, /HOST is no address of this machine/],
  ])('%s', async (_, env, words, code, err) => {
    const answer = await ended(env, ...words)
    expect(answer).toMatchObject({ code, out: '', err: expect.stringMatching(err) })
  })

  test('a token that is refused at the start is a wrong setting', async () => {
    const { createServer } = await import('node:http')
    const server = createServer((_, response) => response.writeHead(401).end('{}')).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as { port: number }).port}`
    const folder = mkdtempSync(join(tmpdir(), 'monbot-service-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'token'), 'secret-token')
    const env = { PORT: '0', ALERTMANAGER_URL: url, ALERTMANAGER_TOKEN_FILE: join(folder, 'token') }
    const answer = await ended(env)
    expect(answer).toMatchObject({ code: 78, err: expect.stringContaining('did not let the service in') })
    expect(answer.err).not.toContain('secret-token')
  })
})
