/** A file that is to be made and posted, as the store keeps it until then (see `Plan.state`). */

export type WantedFile = {
  /** Of the audit row that asked for it, which names the file's card: it is posted once. */
  readonly auditId: string
  /** The alert that it is about; null: all of the card. */
  readonly alertId: string | null
  readonly channel: string
  /** The card in whose thread it is posted; null: in the channel. */
  readonly cardId: string | null
}

/** The beginning of the names of what is kept. */
export const wantedFiles = 'file '

export function keptFile(file: WantedFile): { readonly name: string; readonly value: string } {
  const { auditId, ...value } = file
  return { name: `${wantedFiles}${auditId}`, value: JSON.stringify(value) }
}

/** In the order in which they are read from the store. */
export function readWantedFiles(kept: ReadonlyMap<string, string>): readonly WantedFile[] {
  return [...kept].map(([auditId, value]) => ({
    auditId,
    ...(JSON.parse(value) as Omit<WantedFile, 'auditId'>),
  }))
}
