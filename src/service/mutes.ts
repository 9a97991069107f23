/** What clients asked to be silent: the account, servers, single alerts. What it means at an Alertmanager is the source's affair. */
import type { Mute, Source } from './source.ts'
import type { Shelf } from './store.ts'

export class Mutes {
  private readonly shelf: Shelf<Mute>
  private readonly source: Pick<Source, 'reconcileMutes'>

  constructor(shelf: Shelf<Mute>, source: Pick<Source, 'reconcileMutes'>) {
    this.shelf = shelf
    this.source = source
  }

  get(id: string): Mute | undefined {
    return this.shelf.get(id)
  }

  ids(): string[] {
    return [...this.shelf.all().keys()]
  }

  /** Waits for the Alertmanager's yes where there is one. After a failure nothing is muted that was not: the loop ends what it took all the same. */
  async set(mute: Mute): Promise<void> {
    const before = this.shelf.get(mute.id)
    this.shelf.put(mute.id, mute)
    try {
      await this.reconcile(mute.id)
    } catch (error) {
      if (before === undefined) this.shelf.remove(mute.id)
      else this.shelf.put(mute.id, before)
      throw error
    }
  }

  /** After a failure it ends as soon as it can. */
  async end(id: string): Promise<void> {
    this.shelf.remove(id)
    await this.reconcile(id)
  }

  async reconcile(asked?: string): Promise<void> {
    await this.source.reconcileMutes(() => [...this.shelf.all().values()], asked)
  }

  forgetOver(nowMs: number): void {
    for (const { id, untilMs } of [...this.shelf.all().values()])
      if (untilMs !== null && untilMs <= nowMs) this.shelf.remove(id)
  }
}
