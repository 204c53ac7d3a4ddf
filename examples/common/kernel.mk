# What the examples' makefiles share: how a kernel becomes an object and a header, how the app is built and run.
# Set KERNEL to the kernel's name, FORMATS to its --format options.

SPC      ?= spc
CXX      ?= c++
CXXFLAGS ?= -O2 -g
SPCFLAGS ?= -O3
DATA     ?= ../data/karate.mtx

CPPFLAGS += -I../common -I.

.PHONY: all run clean
all: app

# One run of spc writes the object and the header; -MD makes them depend on the formats as well.
$(KERNEL).o: $(KERNEL).tex
	$(SPC) compile $< $(FORMATS) $(SPCFLAGS) -o $@ -MD -MP
$(KERNEL).h: $(KERNEL).o ;

app.o: app.cpp $(KERNEL).h
	$(CXX) -std=c++17 -Wall -Wextra $(CPPFLAGS) $(CXXFLAGS) -MMD -MP -c $< -o $@

app: app.o $(KERNEL).o
	$(CXX) $(LDFLAGS) $^ -o $@ -lm

run: app
	./app $(DATA)

clean:
	rm -f app *.o *.d $(KERNEL).h

-include $(KERNEL).d app.d
