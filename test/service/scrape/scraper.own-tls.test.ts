/** Exporters with certificates of their own: whom the service trusts, and what it shows of itself. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../../src/service/config/read-config.ts'
import { certificates } from '../certificates.ts'
import { lacks } from '../prometheus/programs.ts'
import { openFleetTown, pass, textType } from './exporters.ts'

describe.skipIf(lacks('openssl'))('an exporter with a certificate of its own', () => {
  async function openExporter(folder: string, isMutual: boolean): Promise<string> {
    const file = (name: string) => readFileSync(join(folder, name))
    const server = createServer(
      {
        ...{ key: file('server.key'), cert: file('server.pem'), ca: file('ca.pem') },
        ...{ requestCert: isMutual, rejectUnauthorized: isMutual },
      },
      (_, answer) => answer.setHeader('content-type', textType).end('node_load1 1.5\n'),
    ).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    onTestFinished(() => void server.close().closeAllConnections())
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`
  }

  async function read(folder: string, text: string) {
    writeFileSync(join(folder, 'fleet.yml'), text)
    const { config, problems } = await readConfig(join(folder, 'fleet.yml'))
    return { config, problems: problems.map((line) => line.replaceAll(`${folder}/`, '')) }
  }

  async function failureWith(folder: string, tls: string, url: string): Promise<string | null> {
    const { config, problems } = await read(
      folder,
      `scrape: { targets: [{ url: "${url}", server: web-1${tls} }] }`,
    )
    expect(problems).toEqual([])
    if (config === null) return 'no config'
    const town = await openFleetTown(config)
    await pass(town, 15)
    const { results } = (await town.api('/targets.json')).body as {
      results: { exporters: { failure: string | null }[] }[]
    }
    expect(town.lines.join()).not.toContain('PRIVATE')
    return results[0]?.exporters[0]?.failure ?? null
  }

  test('is trusted by its own CA and name, or not looked at, and shown a certificate where it wants one', async () => {
    const folder = certificates('exporter.internal')
    const plain = await openExporter(folder, false)
    expect(await failureWith(folder, '', plain)).toMatch(/^its certificate is not trusted \(/)
    expect(await failureWith(folder, ', tls: { ca_file: ca.pem }', plain)).toMatch(
      /not trusted \(ERR_TLS_CERT_ALT/,
    )
    const named = 'ca_file: ca.pem, server_name: exporter.internal'
    expect(await failureWith(folder, `, tls: { ${named} }`, plain)).toBeNull()
    expect(await failureWith(folder, ', tls: { insecure_skip_verify: true }', plain)).toBeNull()
    const mutual = await openExporter(folder, true)
    expect(await failureWith(folder, `, tls: { ${named} }`, mutual)).not.toBeNull()
    const own = `${named}, cert_file: client.pem, key_file: client.key`
    expect(await failureWith(folder, `, tls: { ${own} }`, mutual)).toBeNull()
  })

  test('may be said once for all targets, those of target files too; a new certificate counts as a change', async () => {
    const folder = certificates('exporter.internal')
    const url = await openExporter(folder, false)
    writeFileSync(
      join(folder, 't.yml'),
      `- targets: ["${new URL(url).host}"]\n  labels: { __scheme__: https }\n`,
    )
    const text =
      'scrape: { tls: { ca_file: ca.pem, server_name: exporter.internal }, files: [t.yml], targets: [{ url: "http://a:1" }] }'
    const { config } = await read(folder, text)
    const [plain, secure] = config?.scrape?.targets ?? []
    expect(plain?.tls).toBeNull()
    expect(secure?.tls).toMatchObject({ serverName: 'exporter.internal', isUnchecked: false })
    const before = (await readConfig(join(folder, 'fleet.yml'))).texts
    copyFileSync(join(folder, 'server.pem'), join(folder, 'ca.pem'))
    expect((await readConfig(join(folder, 'fleet.yml'))).texts).not.toEqual(before)
  })

  test.each([
    [
      'tls: { ca_file: none.pem }',
      /^fleet\.yml:1:\d+ \S+\.ca_file: expected a file of at most 4 MB that can be read at none\.pem; came none$/,
    ],
    ['tls: { ca_file: ca.key }', /\.ca_file: expected certificates in PEM; came something else$/],
    ['tls: { cert_file: ca.pem }', /: expected both cert_file and key_file, or neither; came a structure$/],
    [
      'tls: { cert_file: client.pem, key_file: server.key }',
      /\.cert_file: expected a certificate in PEM with its key; came something else$/,
    ],
    [
      'tls: { ca: ca.pem }',
      /expected one of ca_file, cert_file, key_file, server_name, insecure_skip_verify; came the unknown key "ca"$/,
    ],
  ])('with %s is a problem of the file, which shows nothing of a key', async (tls, problem) => {
    const folder = certificates('a')
    const { problems } = await read(folder, `scrape: { targets: [{ url: "https://a:1", ${tls} }] }`)
    expect(problems).toEqual([expect.stringMatching(problem)])
  })

  test('beside http it is a problem, as nothing would be encrypted', async () => {
    const text = 'scrape: { targets: [{ url: "http://a:1", tls: { insecure_skip_verify: true } }] }'
    const { problems } = await read(certificates('a'), text)
    expect(problems).toEqual([
      expect.stringMatching(/\.url: expected an address with https:\/\/ beside tls; came/),
    ])
  })
})
