import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { callFingerprint } from '../calls/call-fingerprint.ts'
import { shownInput } from '../calls/shown-input.ts'
import { grouped } from '../group.ts'
import { canonicalText, type JsonObject, type JsonValue, jsonSize, withoutUndefined } from '../json.ts'
import type { UsesPlan } from '../plan/plan.ts'
import { withoutPositions } from '../plan/step-address.ts'
import type { AskedAgain, CallsOfStep, CoveredCalls, Covers, OpenCalls, ShownCall } from './covers.ts'

/** A write as far as it is known before it goes out. */
export type ForeseenCall = {
  /** Of the step, item or turn that makes it; `[*]` stands for any turn. */
  readonly path: string
  readonly uses: UsesPlan
} & (
  | (CallArguments & {
      /** The same for people. Left out: it reads nothing of the answer. */
      readonly shown?: CallArguments
      readonly needs?: undefined
    })
  | { readonly needs: readonly string[]; readonly shown?: undefined }
)

interface CallArguments {
  readonly input: JsonObject
  readonly saveAs?: string | undefined
}

/** What a question shows of its calls at most, in bytes of JSON. */
const mostShownBytes = 64 * 1024
/** Hex digits: the state of a run holds one for each call of the last yes. */
const callHashLength = 24

/** What a yes to these calls covers, and what it permits. */
export interface SealedCalls {
  readonly covers: Covers
  /** The hash of each covered call: a yes permits these, all of them or some. */
  readonly hashes: readonly string[]
}

/**
 * Groups calls by their steps. Where one call of a step is not known, none of the step is sealed; nor where the question
 * cannot show all of them whole.
 */
export function sealCalls(calls: readonly ForeseenCall[], options: CoverOptions): SealedCalls {
  const { key, named, isAny = false, again } = options
  const steps = grouped(calls.map((call) => [withoutPositions(call.path), call]))
  const known: [CallsOfStep, readonly ForeseenCall[]][] = []
  const open: OpenCalls[] = []
  for (const [step, ofStep] of steps) {
    const [first] = ofStep as [ForeseenCall]
    const { action, connection } = first.uses
    const facts = {
      step,
      action: action.name,
      safety: action.safety,
      ...(connection === undefined ? {} : { connection }),
    }
    const needs = [...new Set(ofStep.flatMap((call) => call.needs ?? []))]
    if (needs.length > 0 || !isNamed(step, named)) open.push({ ...facts, needs })
    else known.push([facts, ofStep])
  }
  const shown = known.map(([, ofStep]) => ofStep.flatMap((call) => (call.needs ? [] : [shownCall(call)])))
  const isShown = whichFit(shown)
  const hashes: string[] = []
  const covered = known.flatMap(([facts, ofStep], index): readonly CoveredCalls[] => {
    if (!isShown[index]) {
      open.push({ ...facts, needs: [], is_too_large: true })
      return []
    }
    const ofCalls = ofStep.map((call) => hashOfCall(call, key))
    hashes.push(...ofCalls)
    const count = ofStep.reduce((sum, call) => sum + sentCalls(call), 0)
    return [{ ...facts, count, hash: hashOf(ofCalls, key), shown: shown[index] ?? [] }]
  })
  const sealed = covered.map(({ step, hash }) => [step, hash])
  const seal = hashOf([isAny, sealed, open.map(({ step, needs }) => [step, needs.length > 0])], key)
  const covers = {
    seal,
    ...(isAny ? { any: true as const } : {}),
    calls: covered,
    open,
    ...(again === undefined ? {} : { again }),
  }
  return { covers, hashes }
}

/** Which steps a question shows with all of their calls: the small ones before the large ones. */
function whichFit(steps: readonly (readonly ShownCall[])[]): readonly boolean[] {
  const sizes = steps.map((calls, index) => ({ index, bytes: jsonSize(calls as unknown as JsonValue) }))
  const fits = steps.map(() => false)
  let bytesLeft = mostShownBytes
  for (const { index, bytes } of sizes.toSorted((a, b) => a.bytes - b.bytes)) {
    if (bytes > bytesLeft) break
    bytesLeft -= bytes
    fits[index] = true
  }
  return fits
}

export interface CoverOptions {
  /** Of the run: without it, nobody can find out short arguments by their hashes. */
  readonly key: string
  /** Ids of the steps that the yes covers, with all that is inside them. Left out: all. */
  readonly named?: readonly string[] | undefined
  readonly isAny?: boolean
  readonly again?: AskedAgain
}

/** HMAC of one call with its real arguments, in hex; secrets count by their names. */
export function hashOfCall(call: ForeseenCall, key: string): string {
  if (call.needs) return ''
  const { path, uses, input, saveAs } = call
  const { action, connection, secrets } = uses
  const asked = callFingerprint({
    input,
    ...withoutUndefined({ saveAs, connection, secrets }),
  })
  return hashOf([path, action.name, asked], key).slice(0, callHashLength)
}

/** Whether `covers` names the step, or one around it. */
export function isNamed(step: string, named: readonly string[] | undefined): boolean {
  return named === undefined || step.split('/').some((id) => named.includes(id))
}

function shownCall(call: Extract<ForeseenCall, { needs?: undefined }>): ShownCall {
  const { path, uses } = call
  const { input, saveAs } = call.shown ?? call
  return {
    path,
    input: shownInput(input, uses.action.sensitiveInput, uses.secrets, (name) => `‹secret ${name}›`),
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
  }
}

/** How many calls are sent for it: a batch is split. */
function sentCalls(call: ForeseenCall): number {
  const { batch } = call.uses.action
  const items = batch && !call.needs ? call.input[batch.argument] : undefined
  return batch && Array.isArray(items) ? Math.ceil(items.length / batch.size) : 1
}

function hashOf(value: JsonValue, key: string): string {
  return bytesToHex(hmac(sha256, utf8ToBytes(key), utf8ToBytes(canonicalText(value))))
}
