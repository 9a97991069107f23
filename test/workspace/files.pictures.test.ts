/** Files in three steps, and pictures in messages, which are such files. */
import { describe, expect, test } from 'vitest'
import { neighbour, png, upload } from './neighbour.ts'

const channel = 'C0ALERTS01'
const byFile = (slack_file: object) => ({ type: 'image', slack_file, alt_text: 'load' })
const failed = (reason: string) => ({
  ok: false,
  error: 'invalid_blocks',
  errors: [reason],
  response_metadata: { messages: [`[ERROR] ${reason}`] },
})

describe('a file', () => {
  test('is uploaded in three steps, and usable only after a while', async () => {
    const it = await neighbour({ fileReadyMs: 300 })
    const { call, clock, workspace } = it
    const id = await upload(it)
    const reason = 'invalid slack file [json-pointer:/blocks/0/slack_file]'
    expect(await call('chat.postMessage', { channel, blocks: [byFile({ id })] })).toEqual(failed(reason))
    clock.nowMs += 300
    expect((await call('chat.postMessage', { channel, blocks: [byFile({ id })] })).ok).toBe(true)
    const address = `${workspace.url}files/${id}/load.png`
    const served = await fetch(address)
    expect(served.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await served.arrayBuffer())).toEqual(png)
    expect((await fetch(`${workspace.url}files/F0NOSUCH01/a.png`)).status).toBe(404)
  })

  test('is shown to people by a post, and not by an update that adds it', async () => {
    const it = await neighbour({ fileReadyMs: 0 })
    const [posted, added] = [await upload(it), await upload(it)]
    const status = async (id: string) =>
      (await fetch(`${it.workspace.url}files/${id}?channel=${channel}`)).status
    const { ts } = await it.call('chat.postMessage', { channel, blocks: [byFile({ id: posted })] })
    await it.call('chat.update', { channel, ts, blocks: [byFile({ id: added })] })
    expect([await status(posted), await status(added)]).toEqual([200, 204])
  })

  test("that is no picture, or is nobody's, cannot be shown", async () => {
    const it = await neighbour({ fileReadyMs: 0 })
    const id = await upload(it, Buffer.from('plain text'), 'a.txt')
    for (const file of [{ id }, { id: 'F0NOSUCH01' }]) {
      const refused = await it.call('chat.postMessage', { channel, blocks: [byFile(file)] })
      expect(refused.errors).toEqual(['invalid slack file [json-pointer:/blocks/0/slack_file]'])
    }
  })

  test('must have the length that was announced, and its address serves once', async () => {
    const { call } = await neighbour()
    const announced = await call('files.getUploadURLExternal', {
      filename: 'a.png',
      length: String(png.byteLength),
    })
    const address = String(announced.upload_url)
    const send = (body: Uint8Array) => fetch(address, { method: 'POST', body: new Uint8Array(body) })
    expect((await send(png.subarray(1))).status).toBe(400)
    const taken = await send(png)
    expect(await taken.text()).toBe(`OK - ${png.byteLength}`)
    expect((await send(png)).status).toBe(404)
    const files = [{ id: announced.file_id, title: 'Load' }]
    expect((await call('files.completeUploadExternal', { files })).files).toMatchObject([
      { id: announced.file_id, title: 'Load', mimetype: '', filetype: '' },
    ])
    expect((await call('files.completeUploadExternal', { files })).error).toBe('file_not_found')
  })

  test.each([
    [{ filename: 'a.png' }, 'missing_argument'],
    [{ filename: 'a.png', length: '0' }, 'missing_argument'],
    [{ filename: 'a.png', length: 'long' }, 'invalid_arguments'],
    [{ filename: 'a.png', length: '10000001' }, 'file_upload_size_restricted'],
    [{ length: '1' }, 'invalid_arguments'],
  ])('announced as %o is refused: %s', async (args, error) => {
    const { call } = await neighbour()
    expect((await call('files.getUploadURLExternal', args)).error).toBe(error)
  })

  test('without its bytes cannot be completed, and is shared by no channel of its own', async () => {
    const { call } = await neighbour()
    const announced = await call('files.getUploadURLExternal', {
      filename: 'a.png',
      length: String(png.byteLength),
    })
    const files = [{ id: announced.file_id }]
    expect((await call('files.completeUploadExternal', { files })).error).toBe('file_not_found')
    await fetch(String(announced.upload_url), { method: 'POST', body: new Uint8Array(png) })
    const shared = { files, channel_id: channel }
    expect((await call('files.completeUploadExternal', shared)).error).toBe('invalid_arguments')
    expect((await call('files.completeUploadExternal', { files })).ok).toBe(true)
  })
})
