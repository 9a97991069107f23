/** Alerts and acts of a stretch of time, from the world and from the past on disk, each once; and an act in a sentence. */
import { muteSentence, mutesOfAct } from '../../view/mutes.ts'
import { actSentence } from '../../view/said.ts'

import type { Scene } from '../../view/scene.ts'
import type { Act, Alert } from '../../world/types.ts'
import type { Reads } from '../action.ts'

type Sources = { readonly reads: Reads; scene(): Scene }

/** Of each kind; of more, the newest. */
const rowsMax = 10_000

/** All that began or ended since, the earliest first. */
export async function alertsSince({ reads, scene }: Sources, fromMs: number): Promise<Alert[]> {
  const past = await reads.pastAlerts(fromMs, rowsMax)
  return united(past, scene().world.alerts)
    .filter(({ startedMs, closedMs }) => Math.max(startedMs, closedMs ?? 0) >= fromMs)
    .sort((a, b) => a.startedMs - b.startedMs)
}

export async function actsSince({ reads, scene }: Sources, fromMs: number): Promise<Act[]> {
  const past = await reads.pastActs(fromMs, rowsMax)
  return united(past, scene().world.acts)
    .filter(({ atMs }) => atMs >= fromMs)
    .sort((a, b) => a.atMs - b.atMs)
}

/** The world knows better: a record may have left it while the disk was read. */
function united<T extends { readonly id: string }>(past: readonly T[], live: ReadonlyMap<string, T>): T[] {
  return [...new Map([...past.map((one) => [one.id, one] as const), ...live]).values()]
}

/** A mute's own sentence as long as it is known: its act names neither end nor reason. */
export function actWords(act: Act, scene: Scene): string {
  const isMute = (act.kind === 'mute' || act.kind === 'plan') && act.outcome !== 'refused'
  const mutes = isMute ? mutesOfAct(act, scene.world) : []
  return mutes.length === 0 ? actSentence(act) : muteSentence(mutes, scene)
}
