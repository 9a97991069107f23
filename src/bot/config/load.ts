/** Settings and policy as one start needs them: every problem of both at once. */
import { readLimited } from '../../shared/limited-file.ts'
import type { Config } from './config-types.ts'
import { crossCheck } from './cross-check.ts'
import { type Environment, readConfig } from './env.ts'
import { defaultPolicy, readPolicy } from './policy.ts'
import type { Policy } from './policy-types.ts'

export type Loaded =
  | {
      readonly ok: true
      readonly config: Config
      readonly policy: Policy
      readonly warnings: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly string[] }

export function loadSettings(env: Environment): Loaded {
  const settings = readConfig(env, readLimited)
  // A wrong setting must not keep a wrong policy from being told in the same breath.
  const path = settings.ok ? settings.config.policyPath : env.MONBOT_CONFIG || null
  const file = path === null ? null : policyAt(path)
  const problems = [...(settings.ok ? [] : settings.problems), ...(file?.ok === false ? file.problems : [])]
  if (!settings.ok || file?.ok === false) return { ok: false, problems }
  const policy = file?.policy ?? defaultPolicy()
  const crossed = crossCheck(settings.config, policy)
  if (crossed.length > 0) return { ok: false, problems: crossed }
  return {
    ok: true,
    config: settings.config,
    policy,
    warnings: [...settings.warnings, ...(file?.warnings ?? [])],
  }
}

function policyAt(path: string) {
  try {
    return readPolicy(readLimited(path), path)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason known'
    return {
      ok: false as const,
      problems: [`MONBOT_CONFIG: expected a file that can be read; ${path}: ${code}`],
    }
  }
}
