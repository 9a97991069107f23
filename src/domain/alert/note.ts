/** What somebody wrote about an alert: it is posted in the card's thread and belongs to the episode. */
export type Note = {
  readonly noteId: string
  readonly alertId: string
  readonly userId: string
  readonly atMs: number
  readonly text: string
}
