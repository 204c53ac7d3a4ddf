"""The compiler: what it is asked, what it answers, and what of that is kept on disk."""
# SPDX-License-Identifier: Apache-2.0
