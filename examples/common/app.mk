# What the examples' makefiles share: how the app is built and run. Set KERNEL to the kernel's name, FORMATS to its
# --format options.

CXX      ?= c++
CXXFLAGS ?= -O2 -g
DATA     ?= ../data/karate.mtx

CPPFLAGS += -I../common -I.

.PHONY: all run clean
all: app

SPC_KERNELS        = $(KERNEL)
SPCFLAGS_$(KERNEL) = $(FORMATS)
include ../common/kernel.mk

app.o: app.cpp $(KERNEL).h
	$(CXX) -std=c++17 -Wall -Wextra $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c $< -o $@

app: app.o $(KERNEL).o
	$(CXX) $(LDFLAGS) $^ -o $@ -lm

run: app
	./app $(DATA)

clean:
	rm -f app *.o *.d *.flags $(KERNEL).h

-include app.d
