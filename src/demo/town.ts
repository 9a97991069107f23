/** Sends the demo's requests to the control APIs of service and workspace. */

export const answerWithinMs = 5_000

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

export function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(answerWithinMs),
  })
}

/** Sends an order; throws if it was not carried out. */
export async function order(url: string, body: object): Promise<void> {
  const answer = await post(url, body)
  if (!answer.ok)
    throw new Error(`the monitoring service answered ${answer.status} to ${new URL(url).pathname}`)
  await answer.body?.cancel()
}

type Named = { readonly id: string; readonly name: string }

/** The control of the town; `controlUrl` is the service's. */
export function controlOf(at: { controlUrl: string; workspaceUrl: string }): Town {
  const isOk = async (url: string) => {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) })
      await answer.body?.cancel()
      return answer.ok
    } catch {
      return false
    }
  }
  return {
    isServiceUp: () => isOk(`${at.controlUrl}/control/state`),
    isWorkspaceUp: () => isOk(`${at.workspaceUrl}/control/state`),
    isReady: isOk,
    names: async () => {
      const url = `${at.workspaceUrl}/control/state`
      const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) })
      const { channels, users } = (await answer.json()) as Record<'channels' | 'users', readonly Named[]>
      return new Map([...channels, ...users].map(({ id, name }) => [id, name]))
    },
    makeBusy: (seconds) => order(`${at.controlUrl}/control/busy`, { seconds }),
    startScenario: (name, options = {}) => order(`${at.controlUrl}/control/scenarios/${name}`, options),
  }
}
