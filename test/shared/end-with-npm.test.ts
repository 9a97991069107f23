/** What `npm run` started ends with it, whatever the shell between them passes on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from '../support/compiled.ts'
import { endWithUs } from '../support/end-with-us.ts'
import { patienceMs } from '../support/patience.ts'

const soon = { timeout: patienceMs, interval: 40 }
const root = new URL('../../', import.meta.url).pathname

test('npm that is asked to end leaves nothing behind', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', ...compiled }
  const npm = spawn('npm', ['run', 'workspace'], { cwd: root, env, detached: true })
  endWithUs(npm)
  onTestFinished(() => {
    try {
      process.kill(-(npm.pid ?? 0), 'SIGKILL')
    } catch {
      // Nothing of it is left, as it should be.
    }
  })
  let said = ''
  npm.stdout.on('data', (text) => {
    said += text
  })
  await expect.poll(() => said, soon).toMatch(/open at http:\S+/)
  const [, url = ''] = /open at (http:\S+)/.exec(said) ?? []
  expect((await fetch(url)).ok).toBe(true)
  npm.kill('SIGTERM')
  await once(npm, 'exit')
  await expect
    .poll(
      () =>
        fetch(url).then(
          () => 'answers',
          () => 'gone',
        ),
      soon,
    )
    .toBe('gone')
})
