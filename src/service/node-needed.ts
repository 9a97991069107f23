/** The Node versions that the service supports; imports nothing, so that it can be checked before anything else is loaded. */

const oldest = { major: 22, minor: 19 }

export const nodeNeeded = `the monitoring service needs Node ${oldest.major}.${oldest.minor} or newer`

/** Whether this version (`24.21.0`) runs the service. */
export function isNodeNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > oldest.major || (major === oldest.major && minor >= oldest.minor)
}
