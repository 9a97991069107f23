/** A proxy of a company: nothing is reached but through it, and it opens TLS with a certificate of its own authority. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'

/** `ports`: where each name really is, on this machine and without TLS. Its password is in `url`. */
export async function openProxy(ports: Readonly<Record<string, number>>) {
  const folder = mkdtempSync(join(tmpdir(), 'monbot-proxy-'))
  const [caFile, keyFile] = [join(folder, 'ca.pem'), join(folder, 'key.pem')]
  const names = Object.keys(ports).map((name) => `DNS:${name}`)
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=proxy']
  const into = ['-addext', `subjectAltName=${names.join()}`, '-keyout', keyFile, '-out', caFile]
  execFileSync('openssl', [...made, ...into], { stdio: 'ignore' })
  const [cert, key] = [readFileSync(caFile), readFileSync(keyFile)]

  const asked = new Set<string>()
  const sockets = new Set<{ destroy(): void }>()
  const server = createServer()
  server.on('connect', ({ url = '', headers }, socket) => {
    const port = ports[url.replace(/:443$/, '')]
    asked.add(url)
    const isKnown = headers['proxy-authorization'] === `Basic ${btoa('monbot:pa55word')}`
    if (port === undefined || !isKnown) {
      socket.end(`HTTP/1.1 ${isKnown ? '502 Bad Gateway' : '407 Proxy Authentication Required'}\r\n\r\n`)
      return
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    const inside = new TLSSocket(socket, { isServer: true, cert, key })
    const outside = connect(port, '127.0.0.1')
    for (const one of [socket, inside, outside]) {
      sockets.add(one)
      one.on('error', () => {})
    }
    inside.on('close', () => outside.destroy()).pipe(outside)
    outside.on('close', () => inside.destroy()).pipe(inside)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://monbot:pa55word@127.0.0.1:${(server.address() as AddressInfo).port}`,
    caFile,
    /** Names and ports that were asked for. */
    asked: () => [...asked].toSorted(),
    close() {
      for (const one of sockets) one.destroy()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
