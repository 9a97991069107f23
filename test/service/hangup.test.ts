/** A hangup that comes before anybody said what to do. */
import { expect, onTestFinished, test } from 'vitest'
import { hearHangup } from '../../src/service/hangup.ts'

test('a hangup while the service starts ended it', () => {
  onTestFinished(() => void process.removeAllListeners('SIGHUP'))
  const hangup = hearHangup()
  const done: string[] = []
  process.emit('SIGHUP')
  hangup.does(() => done.push('first'))
  expect(done).toEqual(['first'])
  hangup.does(() => done.push('second'))
  process.emit('SIGHUP')
  expect(done).toEqual(['first', 'second'])
})
