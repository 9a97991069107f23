/** The doctor as a program: as another user, for machines, and for somebody who reads one line. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { doctorTown, ownDatabase } from './doctor-town.ts'

const town = doctorTown()
const root = new URL('../../', import.meta.url).pathname

/** Only root can start it as somebody else. */
test.runIf(process.getuid?.() === 0)(
  'a file that another user brought back is no database that can be used',
  async () => {
    const path = join(town().folder, 'nobody', 'monbot.db')
    const nobody = 65_534
    mkdirSync(join(town().folder, 'nobody'))
    await ownDatabase(join(town().folder, 'whole.db'))
    copyFileSync(join(town().folder, 'whole.db'), path)
    chmodSync(town().folder, 0o755)
    chownSync(join(town().folder, 'nobody'), nobody, nobody)
    const { findings } = await asProgram(['--json'], { DATABASE_URL: `sqlite:${path}` }, nobody)
    expect(findings.find(({ check }: { check: string }) => check === 'Database')).toMatchObject({
      state: 'failed',
      said: expect.stringMatching(/cannot be written/),
    })
  },
)

test('what it prints as JSON is JSON, whatever is wrong, and who reads one line only gets one', async () => {
  const bad = await asProgram(['--json'], { SLACK_BOT_TOKEN: '', DATABASE_URL: 'sqlite:/dev/null' })
  expect(bad).toMatchObject({ code: 1, ok: false })
  const child = spawn('bash', ['-c', `"$0" src/doctor.ts | head -1`, process.execPath], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...town().good },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = await told(child)
  expect(said).toMatchObject({ stderr: '', stdout: expect.stringMatching(/^✓ Node: .*\n$/) })
})

async function asProgram(words: string[], over: Record<string, string>, uid?: number) {
  const child = spawn(process.execPath, ['src/doctor.ts', ...words], {
    cwd: root,
    env: { PATH: process.env.PATH ?? '', ...town().good, ...over },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  const { stdout, code } = await told(child)
  return { code, ...JSON.parse(stdout) }
}

async function told(child: ReturnType<typeof spawn>) {
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (text) => {
    stdout += text
  })
  child.stderr?.on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { stdout, stderr, code }
}
