/** Thrown within the transaction of a commit, and caught there: what the plan was made on has changed, so nothing is written. */
export class StalePlan extends Error {
  override readonly name = 'StalePlan'
}
