/** What the demo asks of the service and the workspace, over their control APIs. */

const answerWithinMs = 2_000

export type Town = {
  isServiceUp(): Promise<boolean>
  isWorkspaceUp(): Promise<boolean>
  isReady(url: string): Promise<boolean>
  /** The workspace's channels and people, by id. */
  names(): Promise<ReadonlyMap<string, string>>
  /** Makes this machine busy for real. */
  makeBusy(seconds: number): Promise<void>
  /** Starts a scenario of the simulated fleet. */
  startScenario(name: string, options?: { server?: string; count?: number; seconds?: number }): Promise<void>
}

type Named = { readonly id: string; readonly name: string }

export function controlOf(at: { serviceUrl: string; workspaceUrl: string }): Town {
  const isOk = async (url: string) => {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) })
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${at.serviceUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(answerWithinMs),
    })
    if (!answer.ok) throw new Error(`the monitoring service answered ${answer.status} to ${path}`)
    await answer.body?.cancel()
  }
  return {
    isServiceUp: () => isOk(`${at.serviceUrl}/control/state`),
    isWorkspaceUp: () => isOk(`${at.workspaceUrl}/control/state`),
    isReady: isOk,
    names: async () => {
      const url = `${at.workspaceUrl}/control/state`
      const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) })
      const { channels, users } = (await answer.json()) as Record<'channels' | 'users', readonly Named[]>
      return new Map([...channels, ...users].map(({ id, name }) => [id, name]))
    },
    makeBusy: (seconds) => post('/control/busy', { seconds }),
    startScenario: (name, options = {}) => post(`/control/scenarios/${name}`, options),
  }
}
