import type {
  FailureGroup,
  ItemInFlight,
  ItemPage,
  ItemRow,
  LoopFacts,
  NodeWait,
  PastWait,
  RunView,
  ShownError,
  StepNode,
} from '../view/run/index.ts'
import {
  arrayOf,
  number,
  oneWord,
  partly,
  record,
  recordOf,
  type Schema,
  text,
  time,
  wholeNumber,
  yes,
} from './describe.ts'
import { turn } from './facts.ts'

const shownError: Schema<ShownError> = record<ShownError>({
  code: partly(text),
  message: text,
  'path?': text,
})

export const wait: Schema<NodeWait> = record<NodeWait>({
  path: text,
  reason: partly(text),
  since: time,
  'until?': time,
  'message?': text,
  'counted?': text,
  'after?': shownError,
})

export const loop: Schema<LoopFacts> = record<LoopFacts>({
  unit: oneWord('items', 'turns'),
  total: wholeNumber,
  done: wholeNumber,
  failed: wholeNumber,
  in_flight: wholeNumber,
  'interrupted?': wholeNumber,
  waiting: wholeNumber,
  left: wholeNumber,
  'per_minute?': number,
  'expected_end?': time,
  'limited_by?': partly(text),
  'limit?': record<NonNullable<LoopFacts['limit']>>({
    action: text,
    calls: wholeNumber,
    per: oneWord('second', 'minute', 'day'),
  }),
  oldest: arrayOf(
    record<ItemInFlight>({
      index: wholeNumber,
      path: text,
      'item?': text,
      since: time,
      'at?': text,
      'wait?': wait,
    }),
  ),
  failures: arrayOf(
    record<FailureGroup>({ code: text, message: text, count: wholeNumber, first: wholeNumber }),
  ),
  'other_failures?': wholeNumber,
  'durations?': record<NonNullable<LoopFacts['durations']>>({
    bounds_ms: arrayOf(number),
    counts: arrayOf(wholeNumber),
  }),
  'time?': record<NonNullable<LoopFacts['time']>>({
    since: time,
    bucket_ms: wholeNumber,
    in_flight_ms: wholeNumber,
    waited_ms: partly(recordOf(wholeNumber)),
    shares: partly(recordOf(arrayOf(wholeNumber))),
  }),
  cells: text,
})

export const node: Schema<StepNode> = record<StepNode>({
  path: text,
  'parent?': text,
  position: wholeNumber,
  id: text,
  kind: oneWord('call', 'block', 'parallel', 'choose', 'runbook', 'item'),
  'name?': text,
  'action?': text,
  'item?': text,
  status: partly(text),
  'started_at?': time,
  'ended_at?': time,
  'attempts?': wholeNumber,
  'waits?': arrayOf(wait),
  'more_waits?': wholeNumber,
  'past_waits?': arrayOf(record<PastWait>({ reason: partly(text), since: time, until: time })),
  'waited_ms?': partly(recordOf(number)),
  'error?': shownError,
  'is_warning?': yes,
  'caught?': shownError,
  'branch?': wholeNumber,
  'condition?': text,
  'failed_items?': record<NonNullable<StepNode['failed_items']>>({ total: wholeNumber, failed: wholeNumber }),
  'groups?': record<NonNullable<StepNode['groups']>>({
    total: wholeNumber,
    done: wholeNumber,
    failed: wholeNumber,
  }),
  'loop?': loop,
})

export const view: Schema<RunView> = record<RunView>(
  {
    run_id: text,
    seq: wholeNumber,
    'is_whole?': yes,
    head: record<RunView['head']>({
      runbook: text,
      'title?': text,
      status: partly(text),
      'started_at?': time,
      'ended_at?': time,
      'last_at?': time,
      begins: wholeNumber,
      'turn?': turn,
      'error?': shownError,
      steps: record<RunView['head']['steps']>({
        total: wholeNumber,
        ended: wholeNumber,
        failed: wholeNumber,
      }),
    }),
    nodes: arrayOf(node),
  },
  'What a screen shows of a run. A later one, without `is_whole`, holds the nodes that have changed.',
)

export const item: Schema<ItemRow> = record<ItemRow>({
  index: wholeNumber,
  path: text,
  'item?': text,
  status: partly(text),
  'started_at?': time,
  'ended_at?': time,
  'error?': shownError,
  'at?': text,
  'wait?': wait,
})

export const items: Schema<ItemPage> = record<ItemPage>({ items: arrayOf(item), 'next?': wholeNumber })
