import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalText, type JsonObject, type JsonValue, jsonSize } from '../json.ts'
import type { UsesPlan } from '../plan.ts'
import { callFingerprint } from '../record/call-fingerprint.ts'
import { shownInput } from '../record/shown-input.ts'
import type { AskedAgain, CoveredCalls, Covers, OpenCalls, ShownCall } from './covers.ts'

/** A write as far as it is known before it goes out. */
export type ForeseenCall = {
  /** Of the step, item or turn that makes it; `[*]` stands for any turn. */
  readonly path: string
  readonly uses: UsesPlan
} & (
  | { readonly input: JsonObject; readonly saveAs?: string | undefined; readonly needs?: undefined }
  | { readonly needs: readonly string[] }
)

/** What the record of a question takes of its calls, in bytes of JSON, and of one call. */
const mostShownBytes = 32 * 1024
const mostCallBytes = 8 * 1024

/** Groups calls by their steps. Where one call of a step is not known, none of the step is sealed. */
export function coversOf(calls: readonly ForeseenCall[], options: CoverOptions = {}): Covers {
  const { named, isAny = false, again } = options
  const steps = new Map<string, ForeseenCall[]>()
  for (const call of calls) {
    const step = stepOf(call.path)
    steps.set(step, [...(steps.get(step) ?? []), call])
  }
  let bytesLeft = mostShownBytes
  const covered: CoveredCalls[] = []
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
    if (needs.length > 0 || !isNamed(step, named)) {
      open.push({ ...facts, needs })
      continue
    }
    const shown: ShownCall[] = []
    for (const call of ofStep) {
      const one = shownCall(call)
      bytesLeft -= jsonSize(one as unknown as JsonValue)
      if (bytesLeft >= 0) shown.push(one)
    }
    const count = ofStep.reduce((sum, call) => sum + sentCalls(call), 0)
    covered.push({ ...facts, count, hash: hashOfCalls(ofStep), shown })
  }
  const sealed = covered.map(({ step, hash }) => [step, hash])
  const seal = hashOf([isAny, sealed, open.map(({ step, needs }) => [step, needs.length > 0])])
  return {
    seal,
    ...(isAny ? { any: true } : {}),
    calls: covered,
    open,
    ...(again === undefined ? {} : { again }),
  }
}

export interface CoverOptions {
  /** Ids of the steps that the yes covers, with all that is inside them. Left out: all. */
  readonly named?: readonly string[] | undefined
  readonly isAny?: boolean
  readonly again?: AskedAgain
}

/** SHA-256 of one call with its real arguments, in hex; secrets count by their names. */
export function hashOfCall(call: ForeseenCall): string {
  if (call.needs) return ''
  const { path, uses, input, saveAs } = call
  const { action, connection, secrets } = uses
  const asked = callFingerprint({
    input,
    ...(saveAs === undefined ? {} : { saveAs }),
    ...(connection === undefined ? {} : { connection }),
    ...(secrets === undefined ? {} : { secrets }),
  })
  return hashOf([path, action.name, asked])
}

/** The hash of all calls of a step. */
function hashOfCalls(calls: readonly ForeseenCall[]): string {
  return hashOf(calls.map(hashOfCall))
}

/** The path of the step that a call belongs to, without the positions of items and turns. */
export function stepOf(path: string): string {
  return path.replaceAll(/\[(\d+|\*)\]/g, '')
}

/** Whether `covers` names the step, or one around it. */
export function isNamed(step: string, named: readonly string[] | undefined): boolean {
  return named === undefined || step.split('/').some((id) => named.includes(id))
}

function shownCall(call: ForeseenCall): ShownCall {
  if (call.needs) return { path: call.path }
  const { path, uses, saveAs } = call
  const input = shownInput(call.input, uses.action.sensitiveInput, uses.secrets)
  return {
    path,
    ...(jsonSize(input) > mostCallBytes ? {} : { input }),
    ...(saveAs === undefined ? {} : { save_as: saveAs }),
  }
}

/** How many calls are sent for it: a batch is split. */
function sentCalls(call: ForeseenCall): number {
  const { batch } = call.uses.action
  const items = batch && !call.needs ? call.input[batch.argument] : undefined
  return batch && Array.isArray(items) ? Math.ceil(items.length / batch.size) : 1
}

function hashOf(value: JsonValue): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalText(value))))
}
