/** What a request to an endpoint shows of itself: tokens and passwords from files, headers, certificates; and that none is ever told. */
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAsker } from '../../../src/service/prometheus/ask.ts'
import type { Endpoint } from '../../../src/service/prometheus/settings.ts'
import { certificates } from '../certificates.ts'
import { newFolder } from '../ledger-file.ts'
import { type Gateway, openGateway, success } from './gateway.ts'
import { lacks, tempFolder } from './programs.ts'

const t = { onTestFinished }

/** The message of a refusal, or what was answered. */
async function asked(gateway: Pick<Gateway, 'url'>, given: Partial<Endpoint>, product = 'Mimir') {
  const asker = openAsker({
    product,
    endpoint: { url: gateway.url, authorization: null, ...given },
    timeoutMs: 5_000,
  })
  onTestFinished(() => asker.close())
  return {
    get: () => asker.get('/api/v1/rules').catch((error: Error) => error.message.replace(gateway.url, 'URL')),
  }
}

function fileWith(text: string): string {
  const file = join(tempFolder(t), 'secret')
  writeFileSync(file, text)
  return file
}

async function openMimir(): Promise<Gateway> {
  const gateway = await openGateway(t, null)
  gateway.answers = () => success('fine')
  return gateway
}
const fine = { status: 'success', data: 'fine' }

test('a tenant behind a header gets in with that header, in every request, and not without', async () => {
  const gateway = await openMimir()
  gateway.demands = { 'X-Scope-OrgID': 'team-a|team-b' }
  expect(await (await asked(gateway, {})).get()).toBe(
    'Mimir at URL did not let the service in (it answered 401); check the token, or user and password',
  )
  const tenant = await asked(gateway, { headers: { 'X-Scope-OrgID': 'team-a|team-b' } })
  expect([await tenant.get(), await tenant.get()]).toEqual([fine, fine])
})

test('a header, a token and a password from files are read again when the file is replaced', async () => {
  const gateway = await openMimir()
  const [header, token, password] = [fileWith('tenant-1\n'), fileWith('token-1'), fileWith(' pass-1 \n')]
  const byToken = await asked(gateway, { headers: { 'X-Scope-OrgID': { file: header } }, tokenFile: token })
  const byPassword = await asked(gateway, { passwordFile: { user: 'ana', path: password } })
  for (const n of ['1', '2']) {
    gateway.demands = { 'x-scope-orgid': `tenant-${n}`, authorization: `Bearer token-${n}` }
    expect(await byToken.get()).toEqual(fine)
    gateway.demands = { authorization: `Basic ${Buffer.from(`ana:pass-${n}`).toString('base64')}` }
    expect(await byPassword.get()).toEqual(fine)
    // As Kubernetes does it: a new file takes the place of the old one.
    for (const [file, text] of [
      [header, 'tenant-2'],
      [token, 'token-2\n'],
      [password, 'pass-2'],
    ] as const) {
      writeFileSync(`${file}.next`, text)
      renameSync(`${file}.next`, file)
    }
  }
})

test.each([
  ['is missing', null],
  ['is empty', ' \n'],
  ['has two lines', 'one\ntwo'],
  ['is not ASCII', 'gehéim'],
])('a token file that %s is said by its name and asks nothing', async (_, text) => {
  const gateway = await openMimir()
  const tokenFile = fileWith(text ?? '')
  if (text === null) rmSync(tokenFile)
  const { get } = await asked(gateway, { tokenFile })
  expect(await get()).toBe(
    `Mimir at URL cannot be asked: expected one line of text in the file ${tokenFile}; came none`,
  )
  expect(gateway.asked).toEqual([])
  writeFileSync(tokenFile, 'there-now')
  expect(await get()).toEqual(fine)
})

test('what was sent is in no message, even if the other side repeats it, and a redirect is neither followed nor shown', async () => {
  const gateway = await openMimir()
  const tokenFile = fileWith('first-token!')
  const headers = { 'X-Scope-OrgID': 'tenant-s3cr3t', 'X-Pin': 'p1n4' }
  const { get } = await asked(gateway, { headers, tokenFile })
  gateway.answers = () => ({
    status: 500,
    text: JSON.stringify({ error: JSON.stringify(gateway.asked.at(-1)?.headers) }),
  })
  const said = String(await get())
  expect(said).toContain('answered 500')
  expect(said).not.toMatch(/s3cr3t|p1n4|first/)
  // An answer to the former request may come after the token has changed.
  writeFileSync(tokenFile, 'next-token!')
  gateway.answers = () => ({ status: 500, text: JSON.stringify({ error: 'not with first-token!' }) })
  expect(await get()).toBe('Mimir at URL answered 500: not with …')
  gateway.answers = () => ({ status: 302, text: 'http://ana:geheim@elsewhere/?token=abc' })
  expect(await get()).toBe('Mimir at URL answered 302: redirects are not followed')
})

test('an answer that contains the text of a secret by chance is read as it came', async () => {
  const gateway = await openMimir()
  gateway.answers = () => success({ tenant: 'production' })
  const { get } = await asked(gateway, { headers: { 'X-Scope-OrgID': 'production' } })
  expect(await get()).toEqual({ status: 'success', data: { tenant: 'production' } })
})

test.skipIf(lacks('openssl'))(
  'own certificates are those of their files at each request: a new pair is taken up, half of one is not',
  async () => {
    const [old, next, stranger] = [certificates('mimir'), certificates('mimir'), newFolder()]
    const file = (folder: string, name: string) => join(folder, name)
    const serverTls = (folder: string) => ({
      key: readFileSync(file(folder, 'server.key')),
      cert: readFileSync(file(folder, 'server.pem')),
      ca: readFileSync(file(folder, 'ca.pem')),
    })
    const gateway = await openGateway(t, null, {
      ...serverTls(old),
      requestCert: true,
      rejectUnauthorized: true,
    })
    gateway.answers = () => success('fine')
    const mine = tempFolder(t)
    const take = (folder: string, ...names: readonly string[]) => {
      for (const name of names) copyFileSync(file(folder, name), file(mine, name))
    }
    take(old, 'ca.pem', 'client.pem', 'client.key')
    const tls = {
      ca_file: file(mine, 'ca.pem'),
      cert_file: file(mine, 'client.pem'),
      key_file: file(mine, 'client.key'),
      server_name: 'mimir',
      insecure_skip_verify: false,
    }
    const { get } = await asked(gateway, { tls })
    expect(await get()).toEqual(fine)
    const { cert_file: _, key_file: __, ...without } = tls
    expect(await (await asked(gateway, { tls: without })).get()).toMatch(
      /^Mimir at URL (?:does not accept|cannot)/,
    )
    expect(await (await asked(gateway, {})).get()).toMatch(/its certificate is not trusted/)
    expect(await (await asked(gateway, { tls: { ...tls, ca_file: file(stranger, 'none') } })).get()).toMatch(
      /^Mimir at URL cannot be asked: its tls: ca_file: expected a file/,
    )
    // Half of the new pair: the old one serves.
    take(next, 'client.pem')
    expect(await get()).toEqual(fine)
    gateway.useTls(serverTls(next))
    take(next, 'client.key', 'ca.pem')
    expect(await get()).toEqual(fine)
  },
)
