/** The result of one check; and the first check, that of Node, in a file that even an old Node can run. */
import { isClone } from '../../shared/command-name.ts'
import { isNodeNewEnough, oldestNode } from '../../shared/node-version.ts'

/** `warning`: monbot works, but something is missing that people will want. `skipped`: it could not be checked, and why. */
type State = 'ok' | 'warning' | 'failed' | 'skipped'

/** `todo`: what to do about it, one sentence; null where there is nothing to do. Neither holds a secret. */
export type Finding = {
  readonly check: string
  readonly state: State
  readonly said: string
  readonly todo: string | null
}

export function ok(check: string, said: string): Finding {
  return { check, state: 'ok', said, todo: null }
}

export function warning(check: string, said: string, todo: string): Finding {
  return { check, state: 'warning', said, todo }
}

export function failed(check: string, said: string, todo: string): Finding {
  return { check, state: 'failed', said, todo }
}

export function skipped(check: string, said: string): Finding {
  return { check, state: 'skipped', said, todo: null }
}

export function nodeFinding(version: string): Finding {
  return isNodeNewEnough(version)
    ? ok('Node', version)
    : failed(
        'Node',
        `${version} is too old`,
        `Use Node ${oldestNode} or newer${isClone ? '; npm ci brings one along' : ''}.`,
      )
}
