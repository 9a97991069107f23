/** Queries redundant peers: those that answer are enough, and a frozen one does not delay the others. */
import { Refusal } from '../refusal.ts'
import { NotLetIn } from './ask.ts'

/** How long to wait for the others after one has succeeded. */
const patienceMs = 500

export type Peers<Member> = {
  /**
   * Queries all at once, and resolves with the successful answers, in the order of the members.
   * Rejects with the first `Refusal` if all fail; with a `NotLetIn` only if all of them refuse access.
   */
  reader<Value>(ask: (member: Member) => Promise<Value>): () => Promise<readonly Value[]>
  /** Members that answered recently come first. */
  inOrder(): readonly Member[]
}

type Peer<Member> = {
  readonly name: string
  readonly member: Member
  /** Did not answer while others did, and is not waited for until it succeeds again. */
  isLate: boolean
  /** The last reported reason for its failure; null while it answers. */
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

      /** A frozen peer gets no second request until it has answered the first. */
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

/** Resolves when all awaited peers have answered and at least one succeeded; null means no answer yet. */
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

/** The failure to report: a wrong token is to blame only if every peer refuses access. */
export function firstRefusal(refusals: readonly Refusal[]): Refusal {
  const [first = new Refusal(503, 'no Alertmanager was asked')] = refusals
  return refusals.find((one) => !(one instanceof NotLetIn)) ?? first
}
