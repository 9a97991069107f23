/** Refuses a Node that is too old, before a native module crashes it silently. */
import { isClone } from './command-name.ts'

const oldest = { major: 22, minor: 19 }
export const oldestNode = `${oldest.major}.${oldest.minor}`

/** Whether this version (`24.21.0`) runs the bot: 22.19, or anything newer. */
export function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}

/**
 * Prints one sentence and exits with 78 if Node is older than 22.19: another start would end the same way. An entry file calls it before it
 * imports the rest with `import()`: a plain `import` would run first.
 */
export function requireNode(version: string = process.versions.node): void {
  if (isNodeNewEnough(version)) return
  // The package does not bring a Node of its own.
  const help = isClone ? ' After `npm ci`, the npm scripts bring their own: try `npm start`.' : ''
  process.stderr.write(`monbot needs Node ${oldestNode} or newer; this is ${version}.${help}\n`)
  process.exit(78)
}
