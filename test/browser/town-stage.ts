/** The town pane alone on a page of the workspace, under the page's own policy, beside a real workspace and a real service. */
import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openService, type Service, type ServiceOptions } from '../../src/service/service.ts'
import { importMap } from '../../src/workspace/http/page.ts'
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts'
import { openPage, type PageOptions } from './browser.ts'

export const apiKey = 'canary-api-key-0123456789'
export const botToken = 'xoxb-canary-bot-0123456789'
export const appToken = 'xapp-1-canary-app-0123456789'

export type TownStage = {
  readonly service: Service
  readonly workspace: Workspace
  /** The API of the service, as the bot calls it. Answers the status. */
  api(path: string): Promise<number>
  /** The Web API of the workspace, as the bot calls it. Answers the outcome. */
  slack(method: string, body: Record<string, string>): Promise<unknown>
}

/** Closed when the test is over and its pages are closed. */
export async function openTownStage({
  isAttached = true,
  service: given = {},
}: {
  readonly isAttached?: boolean
  readonly service?: Partial<ServiceOptions>
} = {}): Promise<TownStage> {
  const service = await openService({
    key: apiKey,
    fleet: 12,
    sample: false,
    sampleMs: 500,
    controlPort: 0,
    ...given,
  })
  const workspace = await openWorkspace({
    botToken,
    appToken,
    limits: 'off',
    ...(isAttached ? { townUrl: service.controlUrl ?? '' } : {}),
  })
  onTestFinished(async () => {
    await workspace.close()
    await service.close()
  })
  return {
    service,
    workspace,
    async api(path) {
      const answer = await fetch(`${service.url}/api/v2/${apiKey}${path}`, {
        method: path.includes('?') ? 'POST' : 'GET',
      })
      await answer.body?.cancel()
      return answer.status
    },
    async slack(method, body) {
      const answer = await fetch(`${workspace.apiUrl}${method}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${botToken}` },
        body: new URLSearchParams(body),
      })
      const said: unknown = await answer.json()
      return answer.status === 200 ? said : answer.status
    },
  }
}

const document = `<!doctype html><html lang="en"><head><meta charset="utf-8">${importMap}<title>Town</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page/theme.css"><link rel="stylesheet" href="/page/blocks/blocks.css"><link rel="stylesheet" href="/page/town/town.css">
<script type="module" src="/town-stage.js"></script></head><body><main><h1>Town</h1><h2>Pane</h2></main></body></html>`

/** Ten times as often as usual, because a test waits for what becomes visible, not for the next look. */
export const refreshMs = 200

const script = `import { h, render } from 'preact'
import { Town } from '/page/town/town.js'
const names = { user: (id) => 'user ' + id, channel: (id) => id.toLowerCase() }
render(h(Town, { refreshMs: ${refreshMs}, names }), document.querySelector('main'))`

export async function openTownPane(stage: TownStage, options?: PageOptions): Promise<Page> {
  // Any document of this origin will do; what is looked at comes next.
  const page = await openPage(`${stage.workspace.url}page/theme.css`, options)
  const answer = await fetch(`${stage.workspace.url}page/theme.css`)
  const policy = answer.headers.get('content-security-policy')
  if (policy === null) throw new Error('expected the page to come with a content security policy, got none')
  await page.route('**/town-stage', (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': policy },
      body: document,
    }),
  )
  await page.route('**/town-stage.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  )
  await page.goto(`${stage.workspace.url}town-stage`)
  return page
}
