/** Pictures come from the API's own origin only, in a few formats only, and never with the key. */
import { describe, expect, test } from 'vitest'
import { canaryKey, connect, openApi, openSockets } from './local-api.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex')
const gif = Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1')

describe('a picture', () => {
  test.each([
    ['png', png],
    ['jpeg', jpeg],
    ['gif', gif],
  ])('that begins as %s does is fetched', async (format, bytes) => {
    const api = await openApi((_request, response) =>
      response.writeHead(200, { 'set-cookie': 'a=b' }).end(bytes),
    )
    const monitor = connect(`${api.url}/prefix/`)
    const fetched = await monitor.picture(`${api.url}/account/12/sparkline.png?w=3#top`)
    expect(fetched).toEqual({ bytes: new Uint8Array(bytes), format })
    await monitor.picture(`${api.url}/again.png`)
    expect(api.received).toEqual([
      { method: 'GET', target: '/account/12/sparkline.png?w=3', contentType: null, body: '' },
      { method: 'GET', target: '/again.png', contentType: null, body: '' },
    ])
  })

  test('carries no cookie and no key', async () => {
    const heads: string[] = []
    const api = await openApi((_request, response) => {
      heads.push(JSON.stringify(response.req.rawHeaders))
      response.writeHead(200, { 'set-cookie': 'session=1' }).end(png)
    })
    const monitor = connect(api.url)
    await monitor.picture(`${api.url}/a.png`)
    await monitor.picture(`${api.url}/b.png`)
    expect(heads).toHaveLength(2)
    expect(heads.join().toLowerCase()).not.toMatch(/cookie|canary|authorization/)
  })

  test('of another origin is refused before a request', async () => {
    const own = await openApi((_request, response) => response.writeHead(200).end(png))
    const other = await openApi((_request, response) => response.writeHead(200).end(png))
    const monitor = connect(own.url)
    const { port } = new URL(own.url)
    const addresses = [
      `${other.url}/a.png`,
      `http://localhost:${port}/a.png`,
      `https://127.0.0.1:${port}/a.png`,
      'http://169.254.169.254/latest/meta-data/',
      `http://127.0.0.1:${port}@169.254.169.254/a.png`,
      `http://user:word@127.0.0.1:${port}/a.png`,
      `//127.0.0.1:${port}/a.png`,
      '/a.png',
      '',
      'not an address',
      'file:///etc/passwd',
      'data:image/png;base64,iVBORw0KGgo=',
      `blob:${own.url}/a.png`,
      'javascript:alert(1)',
    ]
    for (const address of addresses) {
      await expect(monitor.picture(address), address).rejects.toMatchObject({
        name: 'OutsideFailure',
        kind: 'rejected',
      })
    }
    expect([...own.received, ...other.received]).toEqual([])
  })

  test.each([
    `/api/v2/${canaryKey}/a.png`,
    `/a.png?key=${canaryKey}`,
    `/%43ANARY-4f1d9c/a.png`,
    `/CANARY\n-4f1d9c/a.png`,
    `\\CANARY-4f1d9c\\a.png`,
  ])('whose address holds the key is not fetched (%j)', async (path) => {
    const api = await openApi((_request, response) => response.writeHead(200).end(png))
    await expect(connect(api.url).picture(api.url + path)).rejects.toThrow(
      'the address of the picture holds the API key; it is not fetched',
    )
    expect(api.received).toEqual([])
  })

  test.each([
    [302, 'unreachable', 'the picture server answered 302: no picture'],
    [401, 'forbidden', 'the picture server answered 401: the picture needs a login'],
    [404, 'missing', 'the picture server answered 404: no picture'],
    [500, 'unreachable', 'the picture server answered 500: no picture'],
  ])('answered with %i is not there, and is asked for once', async (status, kind, message) => {
    const api = await openApi((_request, response) =>
      response.writeHead(status, { location: '/b.png' }).end(png),
    )
    await expect(connect(api.url).picture(`${api.url}/a.png`)).rejects.toMatchObject({
      kind,
      status,
      message,
    })
    expect(api.received).toHaveLength(1)
  })

  test.each([
    ['a login page', '<html>log in</html>'],
    ['nothing', ''],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['the first half of a signature', '\x89PN'],
  ])('that is %s in truth is refused, whatever its content type', async (_what, body) => {
    const api = await openApi((_request, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(body),
    )
    await expect(connect(api.url).picture(`${api.url}/a.png`)).rejects.toThrow(
      'something that is no PNG, JPEG or GIF',
    )
  })

  test('that is too long is left after the cap', async () => {
    const api = await openApi((_request, response) => {
      response.writeHead(200).end(Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]))
    })
    await expect(connect(api.url).picture(`${api.url}/a.png`)).rejects.toMatchObject({
      code: 'BODY_TOO_LARGE',
      message: 'the picture server answered with more than 2097152 bytes',
    })
  })

  test('that drips is given up in time', async () => {
    const api = await openSockets((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n')
      const drip = setInterval(() => socket.write('x'), 20)
      socket.once('close', () => clearInterval(drip))
    })
    const monitor = connect(api.url, { limits: { pictureMs: 150 } })
    await expect(monitor.picture(`${api.url}/a.png`)).rejects.toThrow(
      'the picture server did not answer within 0.15 s',
    )
  })
})
