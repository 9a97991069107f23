/** The page's document, its modules and styles as they stand in `page/`, and what npm brings, under a policy by which only they run. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'

const folder = fileURLToPath(new URL('page/', import.meta.url))

const libraries = ['preact', 'preact/hooks', 'htm', 'htm/preact']
const addressOf = (library: string): string => `vendor/${library.replace('/', '-')}.mjs`
const emojiFont = '@fontsource/noto-color-emoji/files/noto-color-emoji-emoji-400-normal.woff2'

const vendor = new Map(
  [...libraries.map((library) => [addressOf(library), library]), ['vendor/emoji.woff2', emojiFont]].map(
    ([path = '', specifier = '']) => [path, fileURLToPath(import.meta.resolve(specifier))],
  ),
)
const imports = JSON.stringify({
  imports: Object.fromEntries(libraries.map((library) => [library, `/page/${addressOf(library)}`])),
})
const importMap = `<script type="importmap">${imports}</script>`

const kinds: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.woff2': 'font/woff2',
}
const modulePath = /^(?:[a-z0-9][a-z0-9-]*\/){0,4}[a-z0-9][a-z0-9-]*\.(?:css|js)$/

// The import map is the only script that stands in a document.
const mapHash = createHash('sha256').update(imports).digest('base64')
const headers = {
  'cache-control': 'no-cache',
  'content-security-policy': `default-src 'none'; script-src 'self' 'sha256-${mapHash}'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

export function servePage(app: Hono<{ Bindings: HttpBindings }>): void {
  app.get('/', async (c) => answerWith(c, await readDocument(), '.html'))
  app.get('/page/*', async (c) => {
    const path = c.req.path.slice('/page/'.length)
    const file = vendor.get(path) ?? (modulePath.test(path) ? join(folder, path) : undefined)
    return file === undefined ? c.text('no such file', 404, headers) : await serveFile(c, file)
  })
  app.get('/archives/:channel/:place', (c) => {
    const { channel, place } = c.req.param()
    const [, seconds, part] = /^p(\d{10})(\d{6})$/.exec(place) ?? []
    if (seconds === undefined || !/^[A-Z0-9]+$/.test(channel)) return c.text('no such message', 404, headers)
    return c.redirect(`/#/${channel}/${c.req.query('thread_ts') ?? `${seconds}.${part}`}`)
  })
  app.get('/runbook', (c) => {
    const { plugin = 'this alert', server = 'the server' } = c.req.query()
    const lines = [
      `Runbook: ${plugin} on ${server}`,
      '(a page of the demo; the policy file says where the links of your alerts lead)',
      '1. Press Acknowledge on the card, so that everybody sees who is on it.',
      '2. Look at the chart: is it still going on?',
      `3. If you are working on ${server}, mute it for the time you need: the card shows what that hides.`,
      '4. Add a note about what it was. The next one to see this alert reads it on the card.',
    ]
    return c.text(lines.join('\n\n'), 200, headers)
  })
  app.get('/favicon.ico', (c) => c.body(null, 204))
}

/** The document names all modules that are needed at once, so that none of them waits for another one to ask for it. */
async function readDocument(): Promise<Buffer> {
  const files = await readdir(folder, { recursive: true })
  const own = files.map((file) => file.split(sep).join('/')).filter((path) => path.endsWith('.js'))
  const links = [...libraries.map(addressOf), ...own.sort()].map(
    (path) => `<link rel="modulepreload" href="/page/${path}" />`,
  )
  const document = await readFile(join(folder, 'page.html'), 'utf8')
  return Buffer.from(document.replace('<!-- modules -->', importMap + links.join('')))
}

async function serveFile(c: Context, file: string): Promise<Response> {
  const bytes = await readFile(file).catch(() => undefined)
  return bytes === undefined ? c.text('no such file', 404, headers) : answerWith(c, bytes, extname(file))
}

function answerWith(c: Context, bytes: Buffer, extension: string): Response {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  if (c.req.header('if-none-match') === etag) return c.body(null, 304, { ...headers, etag })
  const type = kinds[extension] ?? 'application/octet-stream'
  return c.body(new Uint8Array(bytes), 200, { ...headers, etag, 'content-type': type })
}
