/** Thrown and caught within a commit's transaction: what the plan was made on has changed, so nothing is written. */
export class StalePlan extends Error {
  override readonly name = 'StalePlan'
}
