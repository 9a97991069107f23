/** The port to the pager, which calls people; `pager/` implements it. */
import type { PageCall } from '../../domain/page/call.ts'

export type Pager = {
  /**
   * Tells it one event; the same event may be told again. Answers who acknowledged it there, as the pager names them; null: nobody,
   * or it does not say; `isCut`: its answer broke off, and may have named somebody. May throw an `OutsideFailure`; of kind `rejected` where telling it again is useless, of kind `missing` where
   * it does not know (any more) what was acknowledged or is over.
   */
  tell(call: PageCall): Promise<{ readonly acknowledgedBy: string | null; readonly isCut?: boolean }>
}
