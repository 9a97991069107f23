import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

const monbot = (...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['src/cli.ts', ...words], {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, stdout, stderr }
}

test('help about a command says what it does, and starts nothing', () => {
  for (const word of ['--help', '-h', 'help']) {
    const came = monbot('service', word)
    expect(came).toEqual({
      status: 0,
      stdout: expect.stringContaining('monbot service: the monitoring'),
      stderr: '',
    })
  }
})

test('a word that nobody reads is an error that names it, and starts nothing', () => {
  for (const name of ['start', 'service', 'workspace']) {
    const came = monbot(name, '--port', '80')
    expect(came).toMatchObject({ status: 2, stdout: '' })
    expect(came.stderr).toContain(`monbot ${name}: expected nothing more; came "--port" "80"`)
  }
})

test('an unknown command is an error with all that there are', () => {
  const came = monbot('strat')
  expect(came).toMatchObject({ status: 2, stdout: '' })
  expect(came.stderr).toMatch(/^No command "strat"; expected one of these:\n {2}monbot start /)
})
