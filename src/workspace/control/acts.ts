/**
 * What people do, as acts over HTTP and in the process. Each has a schema for its argument and answers like the Web API: `ok`, or an
 * `error` with a `detail` for the caller.
 */
import { z } from 'zod'
import { Refused, type Reply, yes } from '../api/reply.ts'
import { click, clickShape } from '../people/click.ts'
import {
  archive,
  archiveShape,
  command,
  commandShape,
  dismiss,
  dismissShape,
  homeShape,
  invite,
  kick,
  memberShape,
  openHome,
  say,
  sayShape,
} from '../people/live.ts'
import type { Stage } from '../people/stage.ts'
import { closeShape, closeView, submit, submitShape } from '../people/submit.ts'

/** An act: call it with its argument. `from` takes what came in from outside, and throws a `ZodError` where it does not fit. */
export type Act<Ask> = ((ask: Ask) => Promise<Reply>) & { readonly from: (value: unknown) => Promise<Reply> }
export type Acts = ReturnType<typeof openActs>

export function openActs(stage: Stage) {
  function act<Shape extends z.ZodType>(
    shape: Shape,
    run: (stage: Stage, ask: z.output<Shape>) => Reply | Promise<Reply>,
  ): Act<z.input<Shape>> {
    const from = async (value: unknown): Promise<Reply> => {
      const ask = shape.parse(value)
      try {
        return await run(stage, ask)
      } catch (error) {
        if (error instanceof Refused) return error.reply
        throw error
      }
    }
    return Object.assign((ask: z.input<Shape>) => from(ask), { from })
  }
  return {
    /** A person posts. */
    say: act(sayShape, say),
    command: act(commandShape, command),
    /** A person uses an element of a message or of a view. */
    click: act(clickShape, click),
    /** A person puts an ephemeral message away. */
    dismiss: act(dismissShape, dismiss),
    /** A person sends the modal in front of them. */
    submit: act(submitShape, submit),
    close: act(closeShape, closeView),
    home: act(homeShape, openHome),
    /** `who` is a person's name or id, or `bot`. */
    invite: act(memberShape, invite),
    kick: act(memberShape, kick),
    archive: act(archiveShape, archive),
    /** Slack refuses every new message for so long, as under a rate limit; 0 ends it. */
    holdPosts: act(z.strictObject({ seconds: z.number().min(0).max(3_600) }), ({ state }, { seconds }) => {
      state.limiter.hold(seconds)
      return yes()
    }),
  }
}
