/** What people do, over HTTP and in the process. Each act answers like the Web API, an `error` with a `detail`. */
import { z } from 'zod'
import { Refused, type Reply, yes } from '../api/reply.ts'
import { click, clickShape } from '../people/click.ts'
import {
  command,
  commandShape,
  dismiss,
  dismissShape,
  homeShape,
  openHome,
  say,
  sayShape,
} from '../people/live.ts'
import type { Stage } from '../people/stage.ts'
import { closeShape, closeView, submit, submitShape } from '../people/submit.ts'

export type Act<Ask> = (ask: Ask) => Promise<Reply>
export type Acts = ReturnType<typeof openActs>

export function openActs(stage: Stage) {
  function act<Shape extends z.ZodType>(
    shape: Shape,
    run: (stage: Stage, ask: z.output<Shape>) => Reply | Promise<Reply>,
  ): Act<z.input<Shape>> {
    return async (asked) => {
      const ask = shape.parse(asked)
      try {
        return await run(stage, ask)
      } catch (error) {
        if (error instanceof Refused) return error.reply
        throw error
      }
    }
  }
  return {
    say: act(sayShape, say),
    command: act(commandShape, command),
    click: act(clickShape, click),
    dismiss: act(dismissShape, dismiss),
    submit: act(submitShape, submit),
    close: act(closeShape, closeView),
    home: act(homeShape, openHome),
    /** Slack refuses every new message for so long, as under a rate limit; 0 ends it. */
    holdPosts: act(z.strictObject({ seconds: z.number().min(0).max(3_600) }), ({ state }, { seconds }) => {
      state.limiter.hold(seconds)
      return yes()
    }),
  }
}
