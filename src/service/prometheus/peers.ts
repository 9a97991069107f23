/** Several that should all say the same: those that answer are enough, and whoever is frozen holds nobody up. */
import { Refusal } from '../refusal.ts'
import { NotLetIn } from './ask.ts'

/** For so long the others are waited for once one has answered well. */
const patienceMs = 500

export type Peers<Member> = {
  /**
   * Makes a reading that asks all at once, and resolves with what those say that answer well, in the order of the members.
   * Rejects with the `Refusal` of the first where none does; a `NotLetIn` only where each says so.
   */
  reader<Value>(ask: (member: Member) => Promise<Value>): () => Promise<readonly Value[]>
  /** Those that answered lately first. */
  inOrder(): readonly Member[]
}

type Peer<Member> = {
  readonly name: string
  readonly member: Member
  /** Did not answer while others did, and is not waited for until it has answered well. */
  isLate: boolean
  /** Why it does not answer, as it was told; null while it does. */
  told: string | null
}

type Answer<Value> = { readonly value: Value } | { readonly refusal: Refusal }

export function openPeers<Member extends { readonly name: string }>(
  members: readonly Member[],
  report: (line: string) => void,
): Peers<Member> {
  const peers = members.map((member): Peer<Member> => {
    return { name: member.name, member, isLate: false, told: null }
  })

  function tell(peer: Peer<Member>, why: string | null): void {
    if (why === null && peer.told !== null) report(`${peer.name} answers again`)
    if (why !== null && peer.told === null) report(`${why}; what the others say is taken`)
    peer.told = why
  }

  return {
    reader<Value>(ask: (member: Member) => Promise<Value>) {
      const underWay = new Map<Peer<Member>, Promise<Answer<Value>>>()

      /** One that is frozen gets no second question while it has not answered the first. */
      function answer(peer: Peer<Member>) {
        const former = peer.isLate ? underWay.get(peer) : undefined
        if (former !== undefined) return former
        const asked = answerOf(peer, ask).finally(() => {
          if (underWay.get(peer) === asked) underWay.delete(peer)
        })
        underWay.set(peer, asked)
        return asked
      }

      return async () => {
        const isAwaited = peers.map(({ isLate }) => !isLate)
        const answers = await enough(peers.map(answer), isAwaited)
        const values = answers.flatMap((one) => (one !== null && 'value' in one ? [one.value] : []))
        if (values.length === 0) throw refusalOf(answers)
        for (const [n, peer] of peers.entries()) {
          const one = answers[n] ?? null
          if (one === null) peer.isLate = true
          if (one !== null) tell(peer, 'refusal' in one ? one.refusal.message : null)
          else tell(peer, `${peer.name} is slow, or frozen`)
        }
        return values
      }
    },
    inOrder: () =>
      peers
        .toSorted((one, other) => Number(isTroubled(one)) - Number(isTroubled(other)))
        .map(({ member }) => member),
  }
}

function isTroubled({ isLate, told }: Peer<unknown>): boolean {
  return isLate || told !== null
}

async function answerOf<Member, Value>(
  peer: Peer<Member>,
  ask: (member: Member) => Promise<Value>,
): Promise<Answer<Value>> {
  try {
    const value = await ask(peer.member)
    peer.isLate = false
    return { value }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { refusal: error }
  }
}

/** Resolves when all who are awaited have answered, at least one of them all well; null stands for no answer yet. */
function enough<Value>(
  asked: readonly Promise<Answer<Value>>[],
  isAwaited: readonly boolean[],
): Promise<readonly (Answer<Value> | null)[]> {
  return new Promise((resolve, reject) => {
    const answers: (Answer<Value> | null)[] = asked.map(() => null)
    let timer: NodeJS.Timeout | null = null
    const end = (): void => {
      if (timer !== null) clearTimeout(timer)
      resolve([...answers])
    }
    const look = (): void => {
      const isWell = answers.some((one) => one !== null && 'value' in one)
      const isHere = (one: Answer<Value> | null, n: number): boolean => one !== null || !isAwaited[n]
      if (answers.every((one) => one !== null) || (isWell && answers.every(isHere))) end()
      else if (isWell) timer ??= setTimeout(end, patienceMs)
    }
    for (const [n, one] of asked.entries()) {
      one.then((answer) => {
        answers[n] = answer
        look()
      }, reject)
    }
  })
}

function refusalOf(answers: readonly (Answer<unknown> | null)[]): Refusal {
  const refusals = answers.flatMap((one) => (one !== null && 'refusal' in one ? [one.refusal] : []))
  return firstRefusal(refusals)
}

/** The one to tell of: a wrong token is one's own fault only where nobody lets one in. */
export function firstRefusal(refusals: readonly Refusal[]): Refusal {
  const [first = new Refusal(503, 'no Alertmanager was asked')] = refusals
  return refusals.find((one) => !(one instanceof NotLetIn)) ?? first
}
