/** Serves the gallery of blocks under the page's own policy, and speaks to it from a test. */

import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type HttpBindings, serve } from '@hono/node-server'
import { Hono } from 'hono'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { importMap, servePage } from '../../src/workspace/http/page.ts'
import { choose, elementsIn } from '../../src/workspace/people/elements.ts'
import { openPage, type PageOptions } from './browser.ts'

const script = fileURLToPath(new URL('blocks-gallery.js', import.meta.url))
const document = `<!doctype html><html lang="en"><head><meta charset="utf-8">${importMap}<title>Blocks</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page/theme.css"><link rel="stylesheet" href="/page/blocks/blocks.css">
<script type="module" src="/gallery.js"></script></head><body><main><h1>Gallery</h1><h2>Blocks</h2><div id="stage"></div></main></body></html>`

/** A wide chart, as PNG would be; SVG needs no library. */
const picture =
  '<svg xmlns="http://www.w3.org/2000/svg" width="480" height="120"><rect width="480" height="120" fill="#eef4fa"/><path d="M0 90 L80 80 L160 95 L240 40 L320 30 L400 60 L480 20" fill="none" stroke="#1264a3" stroke-width="3"/></svg>'

export type Stage = { readonly url: string; close(): Promise<void> }

export async function openStage(): Promise<Stage> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  servePage(app, '127.0.0.1')
  app.get('/gallery', async (c) => c.html(document, 200, { 'content-security-policy': await policyOf(app) }))
  app.get('/gallery.js', async (c) =>
    c.body(await readFile(script, 'utf8'), 200, { 'content-type': 'text/javascript' }),
  )
  app.get('/files/F00000001', (c) => c.body(picture, 200, { 'content-type': 'image/svg+xml' }))
  const { promise, resolve } = Promise.withResolvers<AddressInfo>()
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, resolve)
  const { port } = await promise
  return {
    url: `http://127.0.0.1:${port}/gallery`,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

/** The policy that the page's own files come with. */
async function policyOf(app: Hono<{ Bindings: HttpBindings }>): Promise<string> {
  const response = await app.request('/page/theme.css')
  const policy = response.headers.get('content-security-policy')
  if (policy === null) throw new Error('expected the page to come with a content security policy, got none')
  return policy
}

export type Action = { actionId: string; blockId: string; choice?: unknown }

export type Gallery = {
  readonly page: Page
  /** Shows blocks in place of those before; options lie over the context. */
  show(blocks: readonly unknown[], options?: object): Promise<void>
  /** The same blocks as the bot has changed them. */
  update(blocks: readonly unknown[]): Promise<void>
  showMrkdwn(text: string, options?: object): Promise<void>
  /** What was told since the blocks were shown. */
  actions(): Promise<Action[]>
  queries(): Promise<Action[]>
  /** `ok`, `wait` (until `finish`), or the words of an error. */
  answerWith(how: string): Promise<void>
  finish(): Promise<void>
  values(): Promise<unknown>
  check(): Promise<unknown>
  showErrors(errors: Readonly<Record<string, string>>): Promise<void>
}

export async function openGallery(stage: Stage, options?: PageOptions): Promise<Gallery> {
  const page = await openPage(stage.url, options)
  await page.waitForSelector('html[data-ready]')
  const call = <Result>(name: string, ...args: readonly unknown[]): Promise<Result> =>
    page.evaluate<Result>(`gallery.${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`)
  return {
    page,
    show: (blocks, context = {}) => call('show', blocks, context),
    update: (blocks) => call('update', blocks),
    showMrkdwn: (text, context = {}) => call('showMrkdwn', text, context),
    actions: () => page.evaluate<Action[]>('gallery.log.actions'),
    queries: () => page.evaluate<Action[]>('gallery.log.queries'),
    answerWith: (how) => call('answerWith', how),
    finish: () => call('finish'),
    values: () => call('values'),
    check: () => call('check'),
    showErrors: (errors) => call('showErrors', errors),
  }
}

/** Waits for these actions, exactly, and asks the workspace whether the elements offer what was chosen. */
export async function expectTold(
  gallery: Gallery,
  blocks: readonly object[],
  expected: readonly Action[],
): Promise<void> {
  await expect.poll(() => gallery.actions()).toEqual(expected)
  for (const { actionId, blockId, choice } of await gallery.actions()) {
    const element = elementsIn(blocks).find((one) => one.actionId === actionId && one.blockId === blockId)
    expect(element, actionId).toBeDefined()
    if (element !== undefined) {
      const taken = () => choose(element, (choice ?? null) as Parameters<typeof choose>[1])
      expect(taken, JSON.stringify(choice)).not.toThrow()
    }
  }
}
