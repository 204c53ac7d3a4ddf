/* Statuses, and what a call found wrong, as sentences. C11 and C++17. Every generated header carries this text after
 * that of spc/spc.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef SPC_MESSAGE_H
#define SPC_MESSAGE_H

#ifndef SPC_CONVENTION_H
#include "spc.h"
#endif

/* A sentence for people; never NULL. */
static inline const char *spc_status_string(spc_status status) {
  switch (status) {
  case SPC_OK:
    return "no error";
  case SPC_ERROR_NULL:
    return "a struct or an array that is needed is NULL";
  case SPC_ERROR_SHAPE:
    return "shapes are negative, do not agree or do not fit the format";
  case SPC_ERROR_STRIDE:
    return "a dense tensor's strides cannot be used";
  case SPC_ERROR_PATTERN:
    return "a structure is neither NULL nor the one that it must be, or lacks an entry, or a plan is of others";
  case SPC_ERROR_COUNT:
    return "a number of entries is negative or does not fit the structure";
  case SPC_ERROR_MEMORY:
    return "memory ran out";
  case SPC_ERROR_CONTEXT:
    return "the context is malformed";
  case SPC_ERROR_POINTERS:
    return "pointers or lengths do not delimit the entries";
  case SPC_ERROR_INDEX_RANGE:
    return "a coordinate is outside of what is stored";
  case SPC_ERROR_UNSORTED:
    return "coordinates are not sorted";
  case SPC_ERROR_DUPLICATE:
    return "a coordinate occurs twice";
  case SPC_ERROR_INDEX_TYPE:
    return "a count or an extent overflows the index type";
  case SPC_ERROR_OVERLAP:
    return "memory that the kernel writes is another argument's too";
  }
  return "unknown status";
}

/* Text that is written as far as there is room for it. */
typedef struct spc_detail_text {
  char *buffer;
  int64_t size, length;
} spc_detail_text;

static inline void spc_detail_put(spc_detail_text *text, const char *words) {
  for (; *words != '\0'; ++words, ++text->length)
    if (text->length < text->size - 1)
      text->buffer[text->length] = *words;
}

static inline void spc_detail_put_number(spc_detail_text *text, int64_t number) {
  char digits[21];
  int place = 20;
  uint64_t rest = number < 0 ? 0 - SPC_DETAIL_CAST(uint64_t, number) : SPC_DETAIL_CAST(uint64_t, number);
  digits[place] = '\0';
  do
    digits[--place] = SPC_DETAIL_CAST(char, '0' + rest % 10);
  while ((rest /= 10) != 0);
  if (number < 0)
    digits[--place] = '-';
  spc_detail_put(text, digits + place);
}

/* "argument 2 (x): size", of which "argument 2" may be missing, and the field. */
static inline void spc_detail_put_place(spc_detail_text *text, const spc_problem *problem) {
  if (problem->argument >= 0) {
    spc_detail_put(text, "argument ");
    spc_detail_put_number(text, problem->argument + 1);
    spc_detail_put(text, " (");
  }
  spc_detail_put(text, problem->name);
  if (problem->argument >= 0)
    spc_detail_put(text, ")");
  if (problem->field != NULL) {
    spc_detail_put(text, ": ");
    spc_detail_put(text, problem->field);
  }
}

static inline void spc_detail_put_problem(spc_detail_text *text, spc_status status, const spc_problem *problem) {
  if (status == SPC_ERROR_MEMORY) {
    spc_detail_put(text, "memory ran out for ");
    spc_detail_put_place(text, problem);
    if (problem->numbers > 0) {
      spc_detail_put(text, ", of which ");
      spc_detail_put_number(text, problem->found);
      spc_detail_put(text, " bytes were asked for");
    }
    return;
  }
  spc_detail_put_place(text, problem);
  if (status == SPC_ERROR_NULL) {
    spc_detail_put(text, " is NULL");
    return;
  }
  if (problem->numbers > 0) {
    spc_detail_put(text, " is ");
    spc_detail_put_number(text, problem->found);
  }
  if (problem->numbers < 2) {
    spc_detail_put(text, ": ");
    spc_detail_put(text, spc_status_string(status));
    return;
  }
  spc_detail_put(text, ", where ");
  if (problem->other != NULL) {
    spc_detail_put(text, problem->other_field);
    spc_detail_put(text, " of ");
    spc_detail_put(text, problem->other);
    spc_detail_put(text, " is ");
  }
  spc_detail_put_number(text, problem->wanted);
  if (problem->other == NULL)
    spc_detail_put(text, " is wanted");
}

/* Writes a sentence about a status, and what is known of it, into a buffer of `size` bytes, as much as fits, with a 0
 * behind it: "spmm: argument 2 (B): shape[0] is 5, where ncols of A is 7". A `problem` of another status counts for
 * nothing, and may be NULL. Returns the length of the whole sentence. */
static inline int64_t spc_status_message(char *buffer, int64_t size, spc_status status, const spc_problem *problem) {
  spc_detail_text text;
  text.buffer = buffer;
  text.size = size;
  text.length = 0;
  if (problem != NULL && (problem->kernel == NULL || problem->status != SPC_DETAIL_CAST(int64_t, status)))
    problem = NULL;
  if (problem != NULL) {
    spc_detail_put(&text, problem->kernel);
    spc_detail_put(&text, ": ");
  }
  if (problem != NULL && problem->name != NULL)
    spc_detail_put_problem(&text, status, problem);
  else
    spc_detail_put(&text, spc_status_string(status));
  if (size > 0)
    buffer[text.length < size ? text.length : size - 1] = '\0';
  return text.length;
}

#endif
