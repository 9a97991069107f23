/**
 * The acts that control the workspace: what people do, and faults. Each has a schema for its argument and answers like the Web
 * API: `ok`, or an `error` with a `detail` for the caller.
 */
import { z } from 'zod'
import { Refused, type Reply, yes } from '../api/reply.ts'
import { repeatShape } from '../delivery/bot-line.ts'
import type { Requests } from '../delivery/requests.ts'
import { disconnectReasons } from '../delivery/socket-link.ts'
import { type Sockets, socketFaultShape } from '../delivery/sockets.ts'
import { faultShape, historyLagShape, imageRefusalShape, requestFaultShape } from '../faults/faults.ts'
import { command, commandShape, shortcut, shortcutShape, suggest, suggestShape } from '../people/ask.ts'
import { click, clickShape } from '../people/click.ts'
import {
  archive,
  archiveShape,
  dismiss,
  dismissShape,
  homeShape,
  invite,
  kick,
  memberShape,
  openHome,
  pin,
  pinShape,
  say,
  sayShape,
} from '../people/live.ts'
import { channelOf, name, refuseAct, type Stage } from '../people/stage.ts'
import { closeShape, closeView, submit, submitShape } from '../people/submit.ts'
import { limitsShape } from '../state/limits.ts'

const which = z.enum(['one', 'all']).default('all')

const httpUrl = z.url({ protocol: /^https?$/ }).max(3_000)

/** An act: call it with its argument. `from` takes what came in from outside, and throws a `ZodError` where it does not fit. */
export type Act<Ask> = ((ask: Ask) => Promise<Reply>) & { readonly from: (value: unknown) => Promise<Reply> }

function act<Shape extends z.ZodType>(
  shape: Shape,
  run: (ask: z.output<Shape>) => Reply | Promise<Reply>,
): Act<z.input<Shape>> {
  const from = async (value: unknown): Promise<Reply> => {
    const ask = shape.parse(value)
    try {
      return await run(ask)
    } catch (error) {
      if (error instanceof Refused) return error.reply
      throw error
    }
  }
  return Object.assign((ask: z.input<Shape>) => from(ask), { from })
}

export type Acts = ReturnType<typeof openActs>

/** Makes the acts; `requests` is given in HTTP mode. */
export function openActs(stage: Stage, sockets: Sockets, requests: Requests | undefined) {
  const { state } = stage
  return {
    ...actsOfPeople(stage),
    ...faultsOfTheApi(stage),
    ...faultsOfDelivery(stage, sockets, requests),
    /** One fault by its id; without one, everything that was ordered to go wrong. */
    clearFaults: act(z.strictObject({ id: name.optional() }), ({ id }) => {
      const cleared = state.faults.clear(id)
      if (id === undefined) {
        sockets.clearFaults()
        requests?.clearFaults()
        stage.line.redeliver({ times: 0 })
      }
      state.events.emit({ type: 'fault_cleared', fault: id ?? 'all' })
      return yes({ cleared })
    }),
  }
}

/** What people do. */
function actsOfPeople(stage: Stage) {
  const person = <Shape extends z.ZodType>(
    shape: Shape,
    run: (stage: Stage, ask: z.output<Shape>) => Reply | Promise<Reply>,
  ) => act(shape, (ask) => run(stage, ask))
  return {
    /** A person posts. */
    say: person(sayShape, say),
    command: person(commandShape, command),
    /** A person uses an element of a message or of a view. */
    click: person(clickShape, click),
    shortcut: person(shortcutShape, shortcut),
    suggest: person(suggestShape, suggest),
    /** A person puts an ephemeral message away. */
    dismiss: person(dismissShape, dismiss),
    /** A person sends the modal in front of them. */
    submit: person(submitShape, submit),
    close: person(closeShape, closeView),
    pin: person(pinShape, pin),
    home: person(homeShape, openHome),
    /** `who` is a person's name or id, or `bot`. */
    invite: person(memberShape, invite),
    kick: person(memberShape, kick),
    archive: person(archiveShape, archive),
  }
}

/** What goes wrong when the bot calls the Web API. */
function faultsOfTheApi(stage: Stage) {
  const { state } = stage
  return {
    /** The next calls of a method go wrong. */
    fault: act(faultShape, (ask) => {
      const channel = ask.channel === undefined ? {} : { channel: channelOf(stage, ask.channel).id }
      const forMs = ask.seconds === undefined ? undefined : ask.seconds * 1_000
      const fault = state.faults.add({ ...ask, ...channel }, forMs && state.nowMs() + forMs)
      emitFault(stage, `${fault.method}: ${fault.effect.kind}`)
      if (forMs !== undefined) {
        state.timers.after(forMs, () => {
          if (state.faults.clear(fault.id) > 0) state.events.emit({ type: 'fault_cleared', fault: fault.id })
        })
      }
      return yes({ id: fault.id })
    }),
    historyLag: act(historyLagShape, ({ lagMs, channel }) => {
      const where = channel === undefined ? {} : { channel: channelOf(stage, channel).id }
      state.faults.setHistoryLag({ lagMs, ...where })
      emitFault(stage, `history lags ${lagMs} ms`)
      return yes()
    }),
    refuseImages: act(imageRefusalShape, (ask) => {
      state.faults.refuseImages(ask)
      emitFault(stage, 'pictures are refused')
      return yes()
    }),
    limits: act(z.strictObject({ limits: limitsShape }), (ask) => {
      state.limiter.set(ask.limits)
      return yes()
    }),
  }
}

/** What goes wrong on the way to the bot, and with its tokens. */
function faultsOfDelivery(stage: Stage, sockets: Sockets, requests: Requests | undefined) {
  const { state } = stage
  const inHttpMode = (): Requests =>
    requests ?? refuseAct('not_http_mode', 'this workspace speaks Socket Mode with the bot')
  return {
    socketFault: act(socketFaultShape, (ask) => {
      sockets.setFault(ask)
      emitFault(stage, `socket: ${ask.kind}`)
      return yes()
    }),
    /** Tells sockets to go, with one of Slack's reasons. */
    disconnect: act(z.strictObject({ reason: z.enum(disconnectReasons), which }), (ask) =>
      yes({ told: sockets.disconnect(ask.reason, ask.which) }),
    ),
    /** Cuts sockets without a word. */
    cut: act(z.strictObject({ which }), (ask) => yes({ cut: sockets.cut(ask.which) })),
    /** The next deliveries come twice, the same to the byte: envelopes by Socket Mode, requests in HTTP mode. */
    redeliver: act(repeatShape, (ask) => {
      stage.line.redeliver(ask)
      emitFault(stage, 'deliveries come twice')
      return yes()
    }),
    /** HTTP mode: the next requests are badly signed, or were made at another time. */
    requestFault: act(requestFaultShape, (ask) => {
      emitFault(stage, `request: ${inHttpMode().setFault(ask).kind}`)
      return yes()
    }),
    /** HTTP mode: the request URL is set, or the present one looked at again; the bot has to prove itself there. */
    requestUrl: act(z.strictObject({ url: httpUrl.optional() }), async ({ url }) => {
      const why = await inHttpMode().verify(url)
      return why === undefined ? yes() : refuseAct('url_not_verified', why)
    }),
    /** HTTP mode: Slack looks whether the request URL still answers. */
    sslCheck: act(z.strictObject({}), async () => {
      const why = await inHttpMode().checkTls()
      return why === undefined ? yes() : refuseAct('ssl_check_failed', why)
    }),
    /** A token stops working; sockets that are open stay open. */
    revoke: act(
      z.strictObject({ token: z.enum(['bot', 'app']), revoked: z.boolean().default(true) }),
      (ask) => {
        if (ask.revoked) state.tokens.revoked.add(ask.token)
        else state.tokens.revoked.delete(ask.token)
        if (ask.revoked) state.events.emit({ type: 'token_revoked', which: ask.token })
        return yes()
      },
    ),
  }
}

function emitFault({ state }: Stage, fault: string): void {
  state.events.emit({ type: 'fault_set', fault })
}
