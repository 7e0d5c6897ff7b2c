# SPDX-FileCopyrightText: 2017-2020 Tallmere Instruments
# SPDX-License-Identifier: Apache-2.0

OFFSET = 3
